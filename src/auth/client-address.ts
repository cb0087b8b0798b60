import { createParamDecorator, ExecutionContext } from '@nestjs/common';
import ipaddr from 'ipaddr.js';

/**
 * Where a request comes from, as far as proxies are trusted: an IPv4 address, or the /64 of an IPv6 address, because
 * whoever has one of those has them all.
 */
export function clientAddressOf({ ip: text = '' }: { readonly ip?: string }): string {
  if (!ipaddr.isValid(text)) return text;
  const address = ipaddr.process(text);
  return address instanceof ipaddr.IPv6
    ? address.parts
        .slice(0, 4)
        .map((part) => part.toString(16))
        .join(':')
    : address.toString();
}

/** Where a request comes from, for what is limited by address. */
export const ClientAddress = createParamDecorator((_: unknown, context: ExecutionContext) =>
  clientAddressOf(context.switchToHttp().getRequest<{ readonly ip?: string }>()),
);
