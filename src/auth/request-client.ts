import { createParamDecorator, ExecutionContext } from '@nestjs/common';
import type { IncomingHttpHeaders } from 'node:http';
import { clientAddressOf } from './client-address';
import type { Client } from './sessions/session.schema';

type ClientRequest = Parameters<typeof clientAddressOf>[0] & { readonly headers: IncomingHttpHeaders };

export function clientOf(request: ClientRequest): Client {
  return { address: clientAddressOf(request), userAgent: request.headers['user-agent'] };
}

/** Address and user agent of the client, as the account's owner sees them in the list of sessions. */
export const RequestClient = createParamDecorator((_: unknown, context: ExecutionContext) =>
  clientOf(context.switchToHttp().getRequest<ClientRequest>()),
);
