import ipaddr from 'ipaddr.js';

/** An address as limits count it: an IPv4 address, or the /64 of an IPv6 address, which one client usually owns whole. */
export function countedAddressOf(text: string): string {
  if (!ipaddr.isValid(text)) return text;
  const address = ipaddr.process(text);
  return address instanceof ipaddr.IPv6
    ? address.parts
        .slice(0, 4)
        .map((part) => part.toString(16))
        .join(':')
    : address.toString();
}
