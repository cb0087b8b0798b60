import type { LookupAddress } from 'node:dns';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

/** As many as resolvers use. */
const MAX_SEARCH_DOMAINS = 6;

const fieldsOf = (line: string): string[] =>
  line
    .replace(/[#;].*$/, '')
    .trim()
    .toLowerCase()
    .split(/\s+/);

/** The addresses of a name in the text of a hosts file. */
export function addressesInHosts(text: string, hostname: string): LookupAddress[] {
  const name = hostname.toLowerCase().replace(/\.$/, '');
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = fieldsOf(line);
    const family = isIP(address);
    return family && names.includes(name) ? [{ address, family }] : [];
  });
}

/** The full names that a name stands for, by the search domains in the text of a resolv.conf. */
export function fullNamesOf(text: string, hostname: string): string[] {
  if (hostname.endsWith('.')) return [];
  const domains = text
    .split('\n')
    .map(fieldsOf)
    .findLast(([keyword]) => keyword === 'search' || keyword === 'domain');
  return (domains ?? []).slice(1, 1 + MAX_SEARCH_DOMAINS).map((domain) => `${hostname}.${domain}`);
}

/** What the machine itself knows about names. The files are read each time, because containers change them. */
export class LocalNames {
  constructor(
    private readonly hostsFile = '/etc/hosts',
    private readonly resolverFile = '/etc/resolv.conf',
  ) {}

  async addressesOf(hostname: string): Promise<LookupAddress[]> {
    return addressesInHosts(await readIfPresent(this.hostsFile), hostname);
  }

  async fullNamesOf(hostname: string): Promise<string[]> {
    return fullNamesOf(await readIfPresent(this.resolverFile), hostname);
  }
}

const readIfPresent = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '');
