import { createParamDecorator, ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { Types } from 'mongoose';

/**
 * On whose behalf something is done. Repositories take it first, so that a query which forgets the account
 * does not compile.
 */
export interface AccountScope {
  readonly user: Types.ObjectId;
}

/** The account of a request, and the key that opened it. */
export interface AuthenticatedAccount extends AccountScope {
  readonly apiKey: Types.ObjectId;
}

/** The account the request was authenticated for. */
export const CurrentAccount = createParamDecorator((_: unknown, context: ExecutionContext) => {
  return context.switchToHttp().getRequest<Request & { user?: AuthenticatedAccount }>().user;
});
