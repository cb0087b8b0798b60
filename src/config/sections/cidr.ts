import { isIP, isIPv4 } from 'node:net';
import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js';

/** An address and the length of its prefix. */
export type Cidr = readonly [IPv4 | IPv6, number];

/**
 * Parses a range such as `10.0.0.0/8` or `fd00::/8`.
 * @returns undefined if it is invalid, abbreviated (`10/8`) or an IPv4-mapped IPv6 range: addresses of that form are always
 *   rejected, so the range would have no effect.
 */
export function parseCidr(text: string): Cidr | undefined {
  const [, address = '', prefix = ''] = /^([^/%]+)\/(\d{1,3})$/.exec(text) ?? [];
  if (!isIP(address) || Number(prefix) > (isIPv4(address) ? 32 : 128)) return undefined;
  const [base, bits] = ipaddr.parseCIDR(text);
  return base.range() === 'ipv4Mapped' ? undefined : [base, bits];
}
