import type { IncomingHttpHeaders } from 'node:http';
import { createParamDecorator, ExecutionContext } from '@nestjs/common';
import { countedAddressOf } from '../../common/http/connections/counted-address';
import type { Client } from '../client';

/** The client address, as limits count it. */
export const clientAddressOf = ({ ip = '' }: { readonly ip?: string }): string => countedAddressOf(ip);

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
