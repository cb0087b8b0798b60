import { createParamDecorator, ExecutionContext } from '@nestjs/common';
import type { IncomingHttpHeaders } from 'node:http';
import { clientAddressOf } from './client-address';
import type { Client } from './sessions/session.schema';

type ClientRequest = Parameters<typeof clientAddressOf>[0] & { readonly headers: IncomingHttpHeaders };

export function clientOf(request: ClientRequest): Client {
  return { address: clientAddressOf(request), userAgent: request.headers['user-agent'] };
}

/** Where a request comes from, for what its owner is shown. */
export const RequestClient = createParamDecorator((_: unknown, context: ExecutionContext) =>
  clientOf(context.switchToHttp().getRequest<ClientRequest>()),
);
