import { isIP } from 'node:net';
import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js';
import { type Cidr, parseCidr } from '../../config/cidr';

/** All that is handed out of IPv6 for the public; whatever the library knows no name for outside it is not. */
const GLOBAL_UNICAST: Cidr = ipaddr.parseCIDR('2000::/3');

/** By the library's names of the ranges; those without a word of their own here are reserved. */
const RANGE_TEXTS: ReadonlyMap<string, string> = new Map([
  ['unspecified', 'an unspecified address'],
  ['broadcast', 'a broadcast address'],
  ['multicast', 'a multicast address'],
  ['linkLocal', 'a link-local address'],
  ['loopback', 'a loopback address'],
  ['private', 'a private address'],
  ['uniqueLocal', 'a private address'],
  ['carrierGradeNat', 'a carrier-grade NAT address'],
  ['6to4', 'a 6to4 address'],
  ['teredo', 'a Teredo address'],
  ['rfc6052', 'a NAT64 address'],
  ['benchmarking', 'a benchmarking address'],
  // The library takes `::127.0.0.1` for one of these as well.
  ['ipv4Mapped', 'an IPv4-in-IPv6 address'],
]);

function isWithin(address: IPv4 | IPv6, [base, bits]: Cidr): boolean {
  return address.kind() === base.kind() && address.match(base, bits);
}

function isPublic(address: IPv4 | IPv6): boolean {
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || isWithin(address, GLOBAL_UNICAST));
}

/** Which addresses webhooks may be sent to: the public ones, and those an operator has opened. */
export class AddressPolicy {
  private readonly opened: readonly Cidr[];

  /**
   * @param allowedCidrs ranges that are allowed whatever they are, such as `10.1.0.0/16`.
   * @throws RangeError for a range that cannot be read: leaving it out would go unnoticed.
   */
  constructor(allowedCidrs: readonly string[]) {
    this.opened = allowedCidrs.map((text) => {
      const cidr = parseCidr(text);
      if (!cidr) throw new RangeError(`${text} is not a range of addresses`);
      return cidr;
    });
  }

  /**
   * Judges an address in the spelling of the system, not of a URL. An IPv4 address inside an IPv6 one
   * (`::ffff:10.0.0.1`) is refused, whatever was opened: nobody needs it but to disguise where it leads.
   * @returns why it is refused, such as "10.0.0.1 is a private address"; undefined when it is allowed.
   */
  refusal(address: string): string | undefined {
    // The library also reads short and octal spellings, which the system would look up as names.
    if (!isIP(address)) return `${address} is not an IP address`;
    const parsed = ipaddr.parse(address);
    const isOpened = this.opened.some((cidr) => isWithin(parsed, cidr));
    if (isPublic(parsed) || (isOpened && parsed.range() !== 'ipv4Mapped')) return undefined;
    return `${address} is ${RANGE_TEXTS.get(parsed.range()) ?? 'a reserved address'}`;
  }
}
