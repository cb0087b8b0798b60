import { createParamDecorator, ExecutionContext } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { PhoneKey } from './phone-key';

/** Identifies the account of a query. Repositories take it as their first parameter. */
export interface AccountScope {
  readonly user: Types.ObjectId;
  readonly [brand]: true;
}

declare const brand: unique symbol;

/** The only factory function of AccountScope, so that a document with a `user`, such as a device or batch, is not accepted as one. */
export function accountScope(user: Types.ObjectId): AccountScope {
  return { user } as AccountScope;
}

/** The API key, session or device token that authenticated a request. Long-lived connections check again whether it is still valid. */
export type Credential =
  | { readonly kind: 'api-key'; readonly id: Types.ObjectId; readonly phone?: PhoneKey }
  | { readonly kind: 'session'; readonly id: Types.ObjectId }
  /** `id`: the device. */
  | { readonly kind: 'device-token'; readonly id: Types.ObjectId };

export interface AuthenticatedAccount extends AccountScope {
  readonly credential: Credential;
}

/** The account of the request; undefined on public routes. */
export const CurrentAccount = createParamDecorator((_: unknown, context: ExecutionContext) => {
  return context.switchToHttp().getRequest<{ user?: AuthenticatedAccount }>().user;
});

/** The phone key the request was authenticated with; undefined for full keys and sessions. */
export const CurrentPhoneKey = createParamDecorator(
  (_: unknown, context: ExecutionContext): PhoneKey | undefined => {
    const { user } = context.switchToHttp().getRequest<{ user?: AuthenticatedAccount }>();
    return user?.credential.kind === 'api-key' ? user.credential.phone : undefined;
  },
);
