import { createParamDecorator, ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

/** The network address a request comes from, as far as Express trusts what proxies say of it. */
export const ClientAddress = createParamDecorator((_: unknown, context: ExecutionContext) => {
  return context.switchToHttp().getRequest<Request>().ip ?? '';
});
