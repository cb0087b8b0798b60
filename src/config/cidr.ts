import { isIP, isIPv4 } from 'node:net';
import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js';

/** A range of addresses: one address in it, and how many of its leading bits all others share. */
export type Cidr = readonly [IPv4 | IPv6, number];

/**
 * Reads a range such as `10.0.0.0/8` or `fd00::/8`.
 * @returns undefined for what is none, a short spelling (`10/8`) or an IPv4 range written as IPv6 included: an address
 *   written so is refused whatever is opened, so that such a range would open none.
 */
export function parseCidr(text: string): Cidr | undefined {
  const [, address = '', prefix = ''] = /^([^/%]+)\/(\d{1,3})$/.exec(text) ?? [];
  if (!isIP(address) || Number(prefix) > (isIPv4(address) ? 32 : 128)) return undefined;
  const [base, bits] = ipaddr.parseCIDR(text);
  return base.range() === 'ipv4Mapped' ? undefined : [base, bits];
}
