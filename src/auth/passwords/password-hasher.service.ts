import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Injectable } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';
import { TaskLimiter } from '../../common/task-limiter';

/**
 * Hashes and verifies passwords: Argon2id with the defaults of the library, which follow OWASP. Half of the cores stay free for
 * other requests, however many sign-ins there are.
 */
@Injectable()
export class PasswordHasher {
  private readonly hashing = new TaskLimiter(Math.max(1, Math.floor(availableParallelism() / 2)));
  /** Verified where an account has no password or does not exist, so that the response takes equally long. */
  private readonly dummyHash = hash(randomBytes(16));

  hash(password: string): Promise<string> {
    return this.hashing.run(() => hash(password));
  }

  /** @param passwordHash undefined for an account that has no password or does not exist. */
  async verify(password: string, passwordHash: string | undefined): Promise<boolean> {
    const expected = passwordHash ?? (await this.dummyHash);
    const isMatch = await this.hashing.run(() => verify(expected, password));
    return isMatch && passwordHash !== undefined;
  }
}
