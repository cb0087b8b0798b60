import type { NetworkInterfaceInfo } from 'node:os';
import { httpUrl } from '../../config/local-url';

/** `public`: from everywhere. `network`: in the network of this machine. `cable`: on a phone whose port is forwarded by USB. */
export const ADDRESS_KINDS = ['public', 'network', 'cable'] as const;
/** The variants of the app: `release` opens http only to 127.0.0.1, `insecure` everywhere. */
export const APP_VARIANTS = ['release', 'insecure'] as const;

export interface PhoneAddress {
  /** What is typed into the app. */
  readonly url: string;
  readonly kind: (typeof ADDRESS_KINDS)[number];
  readonly variant: (typeof APP_VARIANTS)[number];
  /** Where this variant of the app is downloaded. */
  readonly appUrl: string;
}

export type ReachableAddress = Pick<PhoneAddress, 'url' | 'kind' | 'variant'>;

export interface ServiceLocation {
  readonly interfaces: Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;
  /** The address that the service listens on. */
  readonly host: string;
  readonly port: number;
  /** The configured origin. */
  readonly publicUrl?: string;
  /** The origin of a page of the service that a person has opened. */
  readonly openedAt?: string;
  /** The path of the protocol, with the base path. */
  readonly path: string;
}

const EVERYWHERE = new Set(['0.0.0.0', '::']);
/** Networks between programs of this machine. */
const INTERNAL_INTERFACE = /^(br-|bridge|cni|docker|flannel|lxc|podman|vboxnet|veth|virbr|vmnet|vEthernet)/i;
/** As Linux, macOS and Windows name network cards. */
const CARD = /^(en|eth|wl|ethernet|wi-?fi|wlan)/i;

/** The addresses by which a phone may reach the service, best first. */
export function reachableAddresses(location: ServiceLocation): ReachableAddress[] {
  const { host, port, publicUrl, openedAt } = location;
  const opened = openedAt !== undefined && !isLoopback(new URL(openedAt).hostname) ? [openedAt] : [];
  const encrypted = opened.filter((origin) => origin.startsWith('https:'));
  const publicOrigins = [...(publicUrl === undefined ? [] : [publicUrl]), ...encrypted];
  // In a container only the origin of the page is an address of the machine.
  const networkOrigins = [...opened, ...networkHosts(location).map((address) => httpUrl(address, port))];
  const cable = EVERYWHERE.has(host) || isLoopback(host) ? [httpUrl('127.0.0.1', port)] : [];
  const found = [
    ...publicOrigins.map((origin) => addressOf(origin, 'public', location.path)),
    ...networkOrigins.map((origin) => addressOf(origin, 'network', location.path)),
    ...cable.map((origin) => addressOf(origin, 'cable', location.path)),
  ];
  return found.filter(({ url }, index) => found.findIndex((other) => other.url === url) === index);
}

function addressOf(origin: string, kind: PhoneAddress['kind'], path: string): ReachableAddress {
  const isRelease = origin.startsWith('https:') || kind === 'cable';
  return { url: `${origin}${path}`, kind, variant: isRelease ? 'release' : 'insecure' };
}

/** The addresses of this machine in its networks: those of network cards first, and IPv6 only without IPv4. */
function networkHosts({ interfaces, host }: ServiceLocation): string[] {
  if (isLoopback(host)) return [];
  if (!EVERYWHERE.has(host)) return [host];
  const found = Object.entries(interfaces)
    .filter(([name]) => !INTERNAL_INTERFACE.test(name))
    .sort(([a], [b]) => Number(CARD.test(b)) - Number(CARD.test(a)))
    .flatMap(([, addresses = []]) => addresses.filter(({ internal }) => !internal));
  const withFamily = (family: string) =>
    found
      .filter((each) => each.family === family && !isLinkLocal(each.address))
      .map(({ address }) => address);
  const ipv4 = withFamily('IPv4');
  return ipv4.length > 0 ? ipv4 : withFamily('IPv6');
}

const isLinkLocal = (address: string): boolean => /^(169\.254\.|fe[89ab])/i.test(address);

const isLoopback = (host: string): boolean => /^(127\.|localhost$|\[?::1\]?$)/.test(host);
