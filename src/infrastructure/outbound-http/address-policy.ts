import { isIP } from 'node:net';
import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js';
import { type Cidr, parseCidr } from '../../config/sections/cidr';

/** IPv6 global unicast. ipaddr.js classifies unassigned ranges outside it as unicast too. */
const GLOBAL_UNICAST: Cidr = ipaddr.parseCIDR('2000::/3');

/** Azure's metadata service has an address in a public range. */
const METADATA_ADDRESSES: ReadonlySet<string> = new Set(['168.63.129.16']);

function isWithin(address: IPv4 | IPv6, [base, bits]: Cidr): boolean {
  return address.kind() === base.kind() && address.match(base, bits);
}

function isPublic(address: IPv4 | IPv6): boolean {
  if (METADATA_ADDRESSES.has(address.toString())) return false;
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || isWithin(address, GLOBAL_UNICAST));
}

/** An IPv4 address embedded in an IPv6 one, mapped or as ISATAP (RFC 5214), which could bypass the range checks. */
function embedsIpv4(address: IPv4 | IPv6): boolean {
  if (address.range() === 'ipv4Mapped') return true;
  if (address.kind() === 'ipv4') return false;
  const [flags, isatap] = (address as IPv6).parts.slice(4, 6);
  return (flags === 0 || flags === 0x0200) && isatap === 0x5efe;
}

/** Decides which addresses webhooks may be sent to: public ones, and the ranges the operator allows. */
export class AddressPolicy {
  private readonly allowedRanges: readonly Cidr[];

  /**
   * @param allowedCidrs ranges to allow even if they are private, such as `10.1.0.0/16`.
   * @throws RangeError for an invalid range.
   */
  constructor(allowedCidrs: readonly string[]) {
    this.allowedRanges = allowedCidrs.map((text) => {
      const cidr = parseCidr(text);
      if (!cidr) throw new RangeError(`"${text}" is not a CIDR range, such as 10.1.0.0/16`);
      return cidr;
    });
  }

  /**
   * Checks an IP address in canonical form, without the brackets of a URL. An IPv4 address embedded in an IPv6 one
   * (`::ffff:10.0.0.1`) is refused even if its range is allowed.
   */
  allows(address: string): boolean {
    // ipaddr.js also parses short and octal forms, which the system would resolve as host names.
    if (!isIP(address)) return false;
    const parsed = ipaddr.parse(address);
    const isAllowed = this.allowedRanges.some((cidr) => isWithin(parsed, cidr));
    return !embedsIpv4(parsed) && (isPublic(parsed) || isAllowed);
  }
}
