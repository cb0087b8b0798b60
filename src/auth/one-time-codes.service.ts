import { createHmac, randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { AuthConfig } from '../config/auth.config';
import { AccountScope } from './account-scope';
import { ATTEMPT_WINDOW_S } from './attempt-limits';
import { CodeInvalid } from './auth.errors';
import { CodePurpose } from './one-time-code.schema';
import { OneTimeCodesRepository } from './one-time-codes.repository';

/** Crockford's base32: no letter is mistaken for a digit. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CODE_LENGTH = 10;
/** From all addresses together. How often one address may try, AttemptsService says. */
const MAX_TRIES = 100_000;
/** Not longer than the window in which attempts are counted, so that no address tries a code more often. */
export const CODE_LIFETIME_MINUTES = ATTEMPT_WINDOW_S / 60;

/** The codes people are mailed: random (50 bits), short-lived, good for one use. */
@Injectable()
export class OneTimeCodesService {
  constructor(
    private readonly codes: OneTimeCodesRepository,
    private readonly config: AuthConfig,
    private readonly clock: Clock,
  ) {}

  /** Makes a code that proves `email`; it takes the place of the one before. */
  async issue(account: AccountScope, purpose: CodePurpose, email: string): Promise<string> {
    const code = Array.from({ length: CODE_LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join(
      '',
    );
    await this.codes.put(account, purpose, {
      email,
      hash: this.hash(account, purpose, code),
      expiresAt: new Date(this.clock.now().getTime() + CODE_LIFETIME_MINUTES * 60_000),
    });
    return `${code.slice(0, CODE_LENGTH / 2)}-${code.slice(CODE_LENGTH / 2)}`;
  }

  /** The address that the latest code was mailed to, and proves; null when there is none. */
  addressOf(account: AccountScope, purpose: CodePurpose): Promise<string | null> {
    return this.codes.findEmail(account, purpose, this.clock.now());
  }

  /**
   * Uses a code up.
   * @param email the address it must have been mailed to.
   * @throws CodeInvalid
   */
  async use(account: AccountScope, purpose: CodePurpose, email: string, code: string): Promise<void> {
    const isUsed =
      (await this.codes.countTry(account, purpose, MAX_TRIES, this.clock.now())) &&
      (await this.codes.consume(account, purpose, email, this.hash(account, purpose, normalizeCode(code))));
    if (!isUsed) throw new CodeInvalid();
  }

  /** Keyed: a stolen database does not give away codes this short. */
  private hash({ user }: AccountScope, purpose: CodePurpose, code: string): string {
    const text = `${purpose}:${user.toHexString()}:${code}`;
    return createHmac('sha256', this.config.tokenSecret).update(text).digest('hex');
  }
}

/** As people type it: in any case, with or without hyphens and spaces, and with letters that look like digits. */
function normalizeCode(code: string): string {
  return code.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1');
}
