import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { MemoizedValue } from '../../common/memoized-value';
import { InstallationSecretsRepository } from './installation-secrets.repository';
import { SecretCipher } from './secret-cipher';

const SECRET_BYTES = 32;

/** Random secrets that belong to the whole installation. A dump of the database does not reveal them. */
@Injectable()
export class InstallationSecrets {
  private readonly read = new Map<string, MemoizedValue<string>>();

  constructor(
    private readonly secrets: InstallationSecretsRepository,
    private readonly cipher: SecretCipher,
  ) {}

  /**
   * A secret, which is made when it is first needed and never changes. Read once by each process.
   * @throws EncryptionKeyMissing
   */
  get(id: string): Promise<string> {
    const known = this.read.get(id) ?? new MemoizedValue(Infinity, () => this.readOrCreate(id));
    this.read.set(id, known);
    return known.read();
  }

  /** Encrypts all secrets with the first configured key. @returns how many were changed. @throws EncryptionKeyMissing */
  async rotate(): Promise<number> {
    let rotated = 0;
    for (const stored of await this.secrets.list()) {
      if (!this.cipher.needsReencryption(stored.secret)) continue;
      const secret = this.cipher.decrypt(stored.secret, stored._id);
      if (await this.secrets.replace(stored, this.cipher.encrypt(secret, stored._id))) rotated += 1;
    }
    return rotated;
  }

  private async readOrCreate(id: string): Promise<string> {
    const found = await this.secrets.find(id);
    if (found) return this.cipher.decrypt(found.secret, id);
    const random = randomBytes(SECRET_BYTES).toString('base64url');
    await this.secrets.create({ _id: id, secret: this.cipher.encrypt(random, id) });
    // Another process may have been first.
    const stored = await this.secrets.find(id);
    if (!stored) throw new Error(`The secret ${id} was removed`);
    return this.cipher.decrypt(stored.secret, id);
  }
}
