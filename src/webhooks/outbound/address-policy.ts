import { isIP } from 'node:net';
import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js';
import { type Cidr, parseCidr } from '../../config/cidr';

/** All that is handed out of IPv6 for the public; whatever the library knows no name for outside it is not. */
const GLOBAL_UNICAST: Cidr = ipaddr.parseCIDR('2000::/3');

/** Public by their range, but served by the host of a virtual machine: they answer with its secrets. */
const METADATA_ADDRESSES: ReadonlySet<string> = new Set(['168.63.129.16']);

function isWithin(address: IPv4 | IPv6, [base, bits]: Cidr): boolean {
  return address.kind() === base.kind() && address.match(base, bits);
}

function isPublic(address: IPv4 | IPv6): boolean {
  if (METADATA_ADDRESSES.has(address.toString())) return false;
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || isWithin(address, GLOBAL_UNICAST));
}

/** An IPv4 address inside an IPv6 one, mapped or as ISATAP writes it (RFC 5214): it disguises where it leads. */
function isDisguised(address: IPv4 | IPv6): boolean {
  if (address.range() === 'ipv4Mapped') return true;
  if (address.kind() === 'ipv4') return false;
  const [flags, isatap] = (address as IPv6).parts.slice(4, 6);
  return (flags === 0 || flags === 0x0200) && isatap === 0x5efe;
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
   */
  allows(address: string): boolean {
    // The library also reads short and octal spellings, which the system would look up as names.
    if (!isIP(address)) return false;
    const parsed = ipaddr.parse(address);
    const isOpened = this.opened.some((cidr) => isWithin(parsed, cidr));
    return !isDisguised(parsed) && (isPublic(parsed) || isOpened);
  }
}
