import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { MINUTE_MS } from '../../common/durations';
import { accountScope, type AccountScope } from '../account-scope';
import { AccountsRepository } from '../accounts/accounts.repository';
import { type SignedIn, SignInService } from './sign-in.service';
import { SignInLinkInvalid } from './session.errors';
import type { Client } from '../client';
import { generateToken, hashSecret } from '../token';
import { SignInLinksRepository } from './sign-in-links.repository';

const LINK_LIFETIME_MS = 10 * MINUTE_MS;

/** The dashboard's path for a link. The token is in the fragment, which never reaches a server or its log. */
export const signInPath = (token: string): string => `/sign-in#token=${token}`;

/** Sign-in links, which the operator creates on the command line for people without a password. */
@Injectable()
export class SignInLinksService {
  constructor(
    private readonly links: SignInLinksRepository,
    private readonly accounts: AccountsRepository,
    private readonly signIns: SignInService,
    private readonly clock: Clock,
  ) {}

  /** @returns the token of a new link, valid once and for ten minutes. */
  async issue(account: AccountScope): Promise<string> {
    const token = generateToken('mgl_');
    await this.links.create({
      _id: hashSecret(token),
      user: account.user,
      generation: (await this.accounts.findTokenGeneration(account)) ?? 0,
      expiresAt: new Date(this.clock.now().getTime() + LINK_LIFETIME_MS),
    });
    return token;
  }

  /** Uses the link to open a session. @throws SignInLinkInvalid */
  async redeem(token: string, client: Client): Promise<SignedIn> {
    const link = await this.links.redeem(hashSecret(token));
    if (!link || link.expiresAt <= this.clock.now()) throw new SignInLinkInvalid();
    const credentials = await this.accounts.findOwnCredentials(accountScope(link.user));
    if (!credentials || (credentials.tokenGeneration ?? 0) !== link.generation) throw new SignInLinkInvalid();
    return this.signIns.openSession(credentials, 'sign-in-link', client);
  }
}
