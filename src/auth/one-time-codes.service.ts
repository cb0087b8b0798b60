import { createHmac, randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { AuthConfig } from '../config/auth.config';
import { AccountScope } from './account-scope';
import { CodeInvalid } from './auth.errors';
import { CodePurpose } from './one-time-code.schema';
import { OneTimeCodesRepository } from './one-time-codes.repository';

const DIGITS = 8;
const MOST_TRIES = 5;
export const CODE_LIFETIME_MINUTES = 20;

/** The codes people are mailed: random, short-lived, good for one use and five tries. */
@Injectable()
export class OneTimeCodesService {
  constructor(
    private readonly codes: OneTimeCodesRepository,
    private readonly config: AuthConfig,
    private readonly clock: Clock,
  ) {}

  /** Makes a code that proves `email`; it takes the place of the one before. */
  async issue(account: AccountScope, purpose: CodePurpose, email: string): Promise<string> {
    const code = String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0');
    await this.codes.put(account, purpose, {
      email,
      hash: this.hash(account, purpose, code),
      expiresAt: new Date(this.clock.now().getTime() + CODE_LIFETIME_MINUTES * 60_000),
    });
    return code;
  }

  /**
   * Uses a code up.
   * @param email the address of the account now: a code mailed to another one is worth nothing.
   * @throws CodeInvalid
   */
  async use(account: AccountScope, purpose: CodePurpose, email: string, code: string): Promise<void> {
    const isUsed =
      (await this.codes.countTry(account, purpose, MOST_TRIES, this.clock.now())) &&
      (await this.codes.consume(account, purpose, email, this.hash(account, purpose, code.trim())));
    if (!isUsed) throw new CodeInvalid();
  }

  /** Keyed: a stolen database does not give away codes this short. */
  private hash({ user }: AccountScope, purpose: CodePurpose, code: string): string {
    const text = `${purpose}:${user.toHexString()}:${code}`;
    return createHmac('sha256', this.config.tokenSecret).update(text).digest('hex');
  }
}
