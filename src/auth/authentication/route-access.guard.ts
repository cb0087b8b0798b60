import type { IncomingHttpHeaders } from 'node:http';
import { CanActivate, ExecutionContext, Injectable, NotFoundException } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Unauthorized } from '../../common/errors';
import type { AccountScope, AuthenticatedAccount } from '../account-scope';
import { AccountsRepository } from '../accounts/accounts.repository';
import { EmailNotVerified, SessionRequiredError } from '../auth.errors';
import { type PhoneKey } from '../phone-key';
import { KeyBound } from '../api-keys/api-key.errors';
import {
  IsOperatorRequired,
  IsSessionRequired,
  IsVerificationRequired,
  type PhoneKeyAccess,
  PhoneKeyAccessOf,
} from '../http/route-access.decorators';
import { SessionCookies } from '../sessions/session-cookie';

/** The request fields that Express and Fastify have in common. */
interface GuardedRequest {
  readonly user?: AuthenticatedAccount;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly params: Readonly<Record<string, string | undefined>>;
}

/** Runs after AuthGuard and checks whether the kind of credential may call the route. */
@Injectable()
export class RouteAccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly accounts: AccountsRepository,
    private readonly cookies: SessionCookies,
  ) {}

  /** @throws CsrfCheckFailed, NotFoundException, Unauthorized, KeyBound, SessionRequiredError, EmailNotVerified */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { user: account, method, headers, params } = context.switchToHttp().getRequest<GuardedRequest>();
    if (account) this.cookies.assertSameOrigin(method, headers);
    if (account?.credential.kind === 'api-key' && account.credential.phone) {
      const access = this.reflector.get(PhoneKeyAccessOf, context.getHandler());
      assertPhoneKeyAllowed(account.credential.phone, access, params.id);
    }
    if (this.reflector.get(IsOperatorRequired, context.getHandler())) await this.assertOperator(account);
    const isSession = account?.credential.kind === 'session';
    if (this.reflector.get(IsSessionRequired, context.getHandler()) && !isSession)
      throw new SessionRequiredError();
    // An account that was never verified has no API keys.
    if (isSession && this.reflector.get(IsVerificationRequired, context.getHandler()))
      await this.assertVerified(account);
    return true;
  }

  private async assertOperator(account: AuthenticatedAccount | undefined): Promise<void> {
    if (account?.credential.kind !== 'session' || !(await this.accounts.isOperator(account)))
      throw new NotFoundException();
  }

  private async assertVerified(account: AccountScope): Promise<void> {
    if (!(await this.accounts.wasVerified(account))) throw new EmailNotVerified();
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
