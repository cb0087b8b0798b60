import { createHmac, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { MINUTE_MS, SECOND_MS } from '../../common/durations';
import { AuthConfig } from '../../config/sections/auth.config';
import { type Mail, Mailer } from '../../infrastructure/mail/mailer';
import { accountScope, type AccountScope } from '../account-scope';
import type { Account } from '../accounts/account.schema';
import { AUTH_ATTEMPT_WINDOW_S } from '../limits/auth-attempt-limits';
import { CodeInvalid } from '../auth.errors';
import { CodePurpose } from './one-time-code.schema';
import { OneTimeCodesRepository, type NewCode, type StoredCodes } from './one-time-codes.repository';

/** Crockford's base32. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CODE_LENGTH = 10;
/** Per code, from all addresses together. AuthAttemptLimiter limits the tries of one address. */
const MAX_TRIES = 100_000;
/** At most the window of AuthAttemptLimiter, so that its limit applies to the whole lifetime of a code. */
const CODE_LIFETIME_MS = AUTH_ATTEMPT_WINDOW_S * SECOND_MS;
/** A code with less time left is not mailed again. With half the lifetime, at most two codes are valid at a time. */
const MIN_TIME_LEFT_MS = CODE_LIFETIME_MS / 2;
const MAX_WRITE_ATTEMPTS = 10;

/** The owner of an account, at the address that the mail goes to. */
export type Recipient = Pick<Account, '_id' | 'name' | 'email'>;

export interface IssuedCode {
  readonly text: string;
  readonly minutesLeft: number;
}

/**
 * One-time codes sent by e-mail: 50 random bits, valid for 15 minutes and one use.
 *
 * A request while a code is valid mails the same code again, or a second one and keeps the first. So requests by others
 * never invalidate the code that the owner is about to type.
 */
@Injectable()
export class OneTimeCodesService {
  constructor(
    private readonly codes: OneTimeCodesRepository,
    private readonly mailer: Mailer,
    private readonly config: AuthConfig,
    private readonly clock: Clock,
  ) {}

  /** Mails a code to the owner of an account. @param write writes the mail. */
  async mail(
    purpose: CodePurpose,
    recipient: Recipient,
    write: (recipient: Recipient, code: IssuedCode) => Mail,
  ): Promise<void> {
    const code = await this.issue(accountScope(recipient._id), purpose, recipient.email);
    this.mailer.send(write(recipient, code));
  }

  /** @returns the code to mail to `email`: the current one if it is valid long enough, else a new one. */
  async issue(account: AccountScope, purpose: CodePurpose, email: string): Promise<IssuedCode> {
    for (let attempt = 0; attempt < MAX_WRITE_ATTEMPTS; attempt++) {
      const now = this.clock.now();
      const found = await this.codes.find(account, purpose);
      const isUsable = found !== null && found.expiresAt > now && found.tries < MAX_TRIES;
      if (isUsable && found.email === email) {
        const code = this.recover(account, purpose, found);
        const msLeft = found.expiresAt.getTime() - now.getTime();
        if (code !== null && msLeft >= MIN_TIME_LEFT_MS) return toIssuedCode(code, msLeft);
      }
      const seed = randomBytes(16).toString('base64url');
      const code = this.derive(account, purpose, seed);
      const expiresAt = new Date(now.getTime() + CODE_LIFETIME_MS);
      const stored: NewCode = { seed, hash: this.hash(account, purpose, code), email, expiresAt };
      const isStored = isUsable
        ? await this.codes.add(account, purpose, stored, found)
        : await this.codes.replace(account, purpose, stored, found);
      if (isStored) return toIssuedCode(code, CODE_LIFETIME_MS);
    }
    throw new Error(
      `Could not store a code for account ${account.user.toHexString()}: too many concurrent requests`,
    );
  }

  /**
   * Verifies a code and counts the try; `consume` then uses it up.
   * @returns the address that the code was mailed to.
   * @throws CodeInvalid
   */
  async verifyCode(account: AccountScope, purpose: CodePurpose, code: string): Promise<string> {
    const now = this.clock.now();
    if (!(await this.codes.countTry(account, purpose, MAX_TRIES, now))) throw new CodeInvalid();
    const stored = await this.codes.find(account, purpose);
    const hash = this.hash(account, purpose, normalizeCode(code));
    const match = [stored, stored?.previous].find((valid) => valid?.hash === hash && valid.expiresAt > now);
    if (!match) throw new CodeInvalid();
    return match.email;
  }

  /**
   * Uses up a code, together with all others of the account and purpose.
   * @param email the address that the code was mailed to.
   * @throws CodeInvalid
   */
  async consume(account: AccountScope, purpose: CodePurpose, email: string, code: string): Promise<void> {
    const hash = this.hash(account, purpose, normalizeCode(code));
    if (!(await this.codes.consume(account, purpose, email, hash, this.clock.now()))) throw new CodeInvalid();
  }

  /** @returns null for a code of another TOKEN_SECRET. */
  private recover(account: AccountScope, purpose: CodePurpose, { seed, hash }: StoredCodes): string | null {
    const code = this.derive(account, purpose, seed);
    return this.hash(account, purpose, code) === hash ? code : null;
  }

  private derive(account: AccountScope, purpose: CodePurpose, seed: string): string {
    const bytes = [...this.hmac(`code:${seed}`, account, purpose)].slice(0, CODE_LENGTH);
    return bytes.map((byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('');
  }

  /** Keyed with TOKEN_SECRET, because codes this short could be guessed from a leaked database. */
  private hash(account: AccountScope, purpose: CodePurpose, code: string): string {
    return this.hmac(code, account, purpose).toString('hex');
  }

  private hmac(text: string, { user }: AccountScope, purpose: CodePurpose): Buffer {
    return createHmac('sha256', this.config.tokenSecret)
      .update(`${purpose}:${user.toHexString()}:${text}`)
      .digest();
  }
}

const toIssuedCode = (code: string, msLeft: number): IssuedCode => ({
  text: `${code.slice(0, CODE_LENGTH / 2)}-${code.slice(CODE_LENGTH / 2)}`,
  minutesLeft: Math.floor(msLeft / MINUTE_MS),
});

/** Accepts any case, hyphens and spaces, and letters that look like digits. */
function normalizeCode(code: string): string {
  return code.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1');
}
