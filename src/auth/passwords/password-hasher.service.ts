import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';

/** Hashes and verifies passwords: Argon2id with the defaults of the library, which follow OWASP. */
@Injectable()
export class PasswordHasher {
  /** Verified where an account has no password or does not exist, so that the response takes equally long. */
  private readonly dummyHash = hash(randomBytes(16));

  hash(password: string): Promise<string> {
    return hash(password);
  }

  /** @param passwordHash undefined for an account that has no password or does not exist. */
  async verify(password: string, passwordHash: string | undefined): Promise<boolean> {
    const isMatch = await verify(passwordHash ?? (await this.dummyHash), password);
    return isMatch && passwordHash !== undefined;
  }
}
