import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';

/** Hashes and checks passwords: Argon2id with the library's settings, which follow OWASP's. */
@Injectable()
export class Passwords {
  /** The password of nobody: where there is none to check, this one is, so that it takes as long. */
  private readonly nobodys = hash(randomBytes(16));

  hash(password: string): Promise<string> {
    return hash(password);
  }

  /** @param passwordHash undefined where there is no account, or none with a password. */
  async isRight(password: string, passwordHash: string | undefined): Promise<boolean> {
    const isMatch = await verify(passwordHash ?? (await this.nobodys), password);
    return isMatch && passwordHash !== undefined;
  }
}
