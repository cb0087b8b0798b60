import type { IncomingHttpHeaders } from 'node:http';
import { createParamDecorator, ExecutionContext } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import type { Client } from './sessions/session.schema';

/** The client address for rate limits: an IPv4 address, or the /64 of an IPv6 address, which one client usually owns whole. */
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

/** The address of the client, as rate limits count it. */
export const ClientAddress = createParamDecorator((_: unknown, context: ExecutionContext) =>
  clientAddressOf(context.switchToHttp().getRequest<{ readonly ip?: string }>()),
);

type ClientRequest = Parameters<typeof clientAddressOf>[0] & { readonly headers: IncomingHttpHeaders };

export function clientOf(request: ClientRequest): Client {
  return { address: clientAddressOf(request), userAgent: request.headers['user-agent'] };
}

/** Address and user agent of the client, as the account's owner sees them in the list of sessions. */
export const RequestClient = createParamDecorator((_: unknown, context: ExecutionContext) =>
  clientOf(context.switchToHttp().getRequest<ClientRequest>()),
);
