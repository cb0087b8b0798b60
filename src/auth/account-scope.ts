import { createParamDecorator, ExecutionContext } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { PhoneKey } from './phone-key';

/**
 * On whose behalf something is done. Repositories take it first, so that a query which forgets the account
 * does not compile.
 */
export interface AccountScope {
  readonly user: Types.ObjectId;
}

/** What opened the account: whoever keeps it open for long asks again whether it still does. */
export type Credential =
  | { readonly kind: 'api-key'; readonly id: Types.ObjectId; readonly phone?: PhoneKey }
  | { readonly kind: 'session'; readonly id: Types.ObjectId };

/** The account of a request, and what opened it. */
export interface AuthenticatedAccount extends AccountScope {
  readonly credential: Credential;
}

/** The account the request was authenticated for. Not for public routes, which have none. */
export const CurrentAccount = createParamDecorator((_: unknown, context: ExecutionContext) => {
  return context.switchToHttp().getRequest<{ user?: AuthenticatedAccount }>().user;
});

/** The phone key the request was authenticated with; undefined for everything else. */
export const CurrentPhoneKey = createParamDecorator(
  (_: unknown, context: ExecutionContext): PhoneKey | undefined => {
    const { user } = context.switchToHttp().getRequest<{ user?: AuthenticatedAccount }>();
    return user?.credential.kind === 'api-key' ? user.credential.phone : undefined;
  },
);
