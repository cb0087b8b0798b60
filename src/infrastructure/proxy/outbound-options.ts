import { rootCertificates } from 'node:tls';

/** How connections to servers outside are made. */
export interface OutboundOptions {
  /** PEM certificate authorities, trusted in addition to Node's own. */
  readonly extraCa?: readonly string[];
  /** @returns the proxy for HTTPS connections to a host; undefined for a direct connection. */
  proxyFor?(hostname: string): URL | undefined;
}

/** The authorities to trust, for the option `ca` of TLS; undefined for Node's own. */
export const trustedAuthorities = (extraCa: readonly string[] | undefined): string[] | undefined =>
  extraCa && [...rootCertificates, ...extraCa];
