import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { accountScope, type AccountScope } from '../account-scope';
import { AccountsRepository } from '../accounts/accounts.repository';
import type { SignedIn } from '../accounts/sign-in.service';
import { SignInLinkInvalid } from './session.errors';
import type { Client } from './session.schema';
import { generateToken, hashToken } from './session-token';
import { SessionsService } from './sessions.service';
import { SignInLinksRepository } from './sign-in-links.repository';

const LINK_LIFETIME_MS = 10 * 60_000;

/** The dashboard's path for a link. The token is in the fragment, which never reaches a server or its log. */
export const signInPath = (token: string): string => `/sign-in#token=${token}`;

/** Sign-in links, which the operator creates on the command line for people without a password. */
@Injectable()
export class SignInLinksService {
  constructor(
    private readonly links: SignInLinksRepository,
    private readonly accounts: AccountsRepository,
    private readonly sessions: SessionsService,
    private readonly clock: Clock,
  ) {}

  /** @returns the token of a new link, valid once and for ten minutes. */
  async issue({ user }: AccountScope): Promise<string> {
    const token = generateToken('mgl_');
    const generations = await this.accounts.findTokenGenerations([user]);
    await this.links.create({
      _id: hashToken(token),
      user,
      generation: generations.get(user.toHexString()) ?? 0,
      expiresAt: new Date(this.clock.now().getTime() + LINK_LIFETIME_MS),
    });
    return token;
  }

  /** Uses the link to open a session. @throws SignInLinkInvalid */
  async redeem(token: string, client: Client): Promise<SignedIn> {
    const link = await this.links.redeem(hashToken(token));
    if (!link || link.expiresAt <= this.clock.now()) throw new SignInLinkInvalid();
    const account = accountScope(link.user);
    const login = await this.accounts.findOwnLogin(account);
    if (!login || (login.tokenGeneration ?? 0) !== link.generation) throw new SignInLinkInvalid();
    return {
      session: await this.sessions.create(account, 'sign-in-link', link.generation, client),
      profile: login,
    };
  }
}
