import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Transform } from 'class-transformer';
import { IsOptional, IsString, ValidateBy } from 'class-validator';
import { CommaSeparated, Variable } from '../environment/environment';

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** @returns PEM certificates; the path if they cannot be read, which is invalid. */
function readCertificates(path: string): readonly string[] | string {
  try {
    const certificates = readFileSync(path, 'utf8').match(PEM_CERTIFICATE) ?? [];
    for (const certificate of certificates) new X509Certificate(certificate);
    return certificates;
  } catch {
    return path;
  }
}

const isProxyUrl = (value: unknown): boolean =>
  typeof value === 'string' &&
  URL.canParse(value) &&
  new URL(value).protocol === 'http:' &&
  new URL(value).pathname === '/';

/** How the service reaches servers outside. */
export class OutboundConfig {
  /** PEM certificates of authorities that are trusted in addition to Node's own. The setting is a file. */
  @Variable('CA_CERTIFICATES_FILE')
  @IsOptional()
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? readCertificates(value) : value))
  @ValidateBy(
    { name: 'areCertificates', validator: { validate: (value) => Array.isArray(value) && value.length > 0 } },
    { message: 'must be the path of a readable file with PEM certificates' },
  )
  readonly extraCa?: readonly string[];

  /** The proxy of HTTPS connections to webhook endpoints and Firebase. */
  @Variable('HTTPS_PROXY')
  @IsOptional()
  @ValidateBy(
    { name: 'isProxyUrl', validator: { validate: isProxyUrl } },
    { message: 'must be the address of an HTTP proxy, such as http://proxy.example.com:3128' },
  )
  readonly httpsProxy?: string;

  /** Hosts that are reached without the proxy. */
  @Variable('NO_PROXY')
  @CommaSeparated()
  @IsString({ each: true })
  readonly noProxy: readonly string[] = [];

  /**
   * The proxy for a host, as `curl` chooses it: an entry of `NO_PROXY` is a host with all its subdomains, or `*`.
   * @param hostname a name, or an IP address, with or without brackets.
   * @returns undefined for a direct connection.
   */
  proxyFor(hostname: string): URL | undefined {
    if (this.httpsProxy === undefined) return undefined;
    const host = hostname.toLowerCase().replace(/^\[(.*)\]$/, '$1');
    const isDirect = this.noProxy
      .map((entry) => entry.toLowerCase().replace(/^\*?\./, ''))
      .some((entry) => entry === '*' || (entry !== '' && (host === entry || host.endsWith(`.${entry}`))));
    return isDirect ? undefined : new URL(this.httpsProxy);
  }
}
