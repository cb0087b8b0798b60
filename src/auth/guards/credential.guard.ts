import type { IncomingHttpHeaders } from 'node:http';
import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Unauthorized } from '../../common/errors';
import type { AccountScope, AuthenticatedAccount } from '../account-scope';
import { AccountsRepository } from '../accounts/accounts.repository';
import { EmailNotVerified } from '../auth.errors';
import { KeyBound, type PhoneKey } from '../api-keys/phone-key';
import { PHONE_KEY_ACCESS, type PhoneKeyAccess } from './phone-key-allowed';
import { assertSameOrigin } from '../sessions/session-cookie';
import { SessionRequiredError } from '../sessions/session.errors';
import { IS_SESSION_REQUIRED } from '../sessions/session-required';
import { IS_VERIFICATION_REQUIRED } from './verification-required';

/** The request fields that Express and Fastify have in common. */
interface GuardedRequest {
  readonly user?: AuthenticatedAccount;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly params: Readonly<Record<string, string | undefined>>;
}

/** Runs after AuthGuard and checks whether the kind of credential may call the route. */
@Injectable()
export class CredentialGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly accounts: AccountsRepository,
  ) {}

  /** @throws CsrfCheckFailed, Unauthorized, KeyBound, SessionRequiredError, EmailNotVerified */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { user: account, method, headers, params } = context.switchToHttp().getRequest<GuardedRequest>();
    if (account) assertSameOrigin(method, headers);
    if (account?.credential.kind === 'api-key' && account.credential.phone) {
      const access = this.reflector.get<PhoneKeyAccess | undefined>(PHONE_KEY_ACCESS, context.getHandler());
      assertPhoneKeyAllowed(account.credential.phone, access, params.id);
    }
    const isSession = account?.credential.kind === 'session';
    if (this.isMarked(IS_SESSION_REQUIRED, context) && !isSession) throw new SessionRequiredError();
    // An account that was never verified has no API keys.
    if (isSession && this.isMarked(IS_VERIFICATION_REQUIRED, context)) await this.assertVerified(account);
    return true;
  }

  private async assertVerified(account: AccountScope): Promise<void> {
    if (!(await this.accounts.wasVerified(account))) throw new EmailNotVerified();
  }

  private isMarked(metadataKey: string, context: ExecutionContext): boolean {
    return this.reflector.get<boolean | undefined>(metadataKey, context.getHandler()) ?? false;
  }
}

/**
 * @param access undefined for routes that phone keys may not call.
 * @param deviceId the device in the path.
 * @throws Unauthorized, KeyBound
 */
function assertPhoneKeyAllowed(
  key: PhoneKey,
  access: PhoneKeyAccess | undefined,
  deviceId: string | undefined,
): void {
  if (access === undefined) throw new Unauthorized();
  if (access === 'account' || deviceId === undefined) return;
  const isOwn = key.device?.toHexString() === deviceId.toLowerCase();
  const mayBind = access === 'pairing' && !key.isBound;
  if (!(isOwn && key.isBound) && !(mayBind && (isOwn || !key.device))) throw new KeyBound();
}
