import { isIPv6 } from 'node:net';

/** Where a process listens. */
export interface ListenAddress {
  /** The setting of the port. */
  readonly variable: 'PORT' | 'OPS_PORT';
  readonly port: number;
  readonly host: string;
}

/**
 * What an operator can do about an address that a process cannot listen on.
 * @param code of the error of Node, such as `EADDRINUSE`.
 * @returns undefined for an error without a known remedy.
 */
export function listenErrorText(code: string, { variable, port, host }: ListenAddress): string | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} is in use; set ${variable} to a free port`;
    case 'EACCES':
      return (
        `This process may not listen on port ${port}; set ${variable} to 1024 or more behind a proxy, ` +
        'or give it the capability CAP_NET_BIND_SERVICE'
      );
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
      return isIPv6(host)
        ? `This machine does not have the IPv6 address ${host}; set HOST to one of its addresses, or to 0.0.0.0 for all of IPv4`
        : `This machine has no address ${host}; set HOST to one of its addresses`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `The name ${host} has no address; set HOST to an address of this machine`;
    default:
      return undefined;
  }
}
