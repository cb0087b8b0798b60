import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { EncryptionConfig } from '../../config/sections/encryption.config';
import { OperatorError } from '../../common/errors';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A secret is encrypted with a key that is not configured. */
export class EncryptionKeyMissing extends OperatorError {
  constructor(readonly keyId: string) {
    super(
      `A secret was encrypted with the key ${keyId}, which is not in ENCRYPTION_KEYS; add it again after the others`,
    );
  }
}

interface Key {
  /** Prefix of every ciphertext of this key; derived from its hash. */
  readonly id: string;
  readonly bytes: Buffer;
}

/** Encrypts secrets for the database: AES-256-GCM with the operator's keys. */
@Injectable()
export class SecretCipher {
  private readonly logger = new Logger(SecretCipher.name);
  private readonly keys: readonly Key[];
  private readonly reportedKeyIds = new Set<string>();

  constructor(config: EncryptionConfig) {
    this.keys = config.keys.map((hex) => {
      const bytes = Buffer.from(hex, 'hex');
      return { id: createHash('sha256').update(bytes).digest('hex').slice(0, 8), bytes };
    });
  }

  /**
   * Encrypts with the first key.
   * @param owner id of the document that holds the secret; the ciphertext cannot be decrypted for another owner.
   */
  encrypt(secret: string, owner: string): string {
    const [key] = this.keys;
    if (!key) throw new OperatorError('ENCRYPTION_KEYS is not set');
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, key.bytes, nonce).setAAD(Buffer.from(owner));
    const encrypted = [cipher.update(secret, 'utf8'), cipher.final()];
    return `${key.id}.${Buffer.concat([nonce, cipher.getAuthTag(), ...encrypted]).toString('base64url')}`;
  }

  /** @throws EncryptionKeyMissing, or an error when the ciphertext was tampered with. */
  decrypt(ciphertext: string, owner: string): string {
    const [id = '', content = ''] = ciphertext.split('.');
    const key = this.keys.find((candidate) => candidate.id === id);
    if (!key) throw new EncryptionKeyMissing(id);
    const bytes = Buffer.from(content, 'base64url');
    const decipher = createDecipheriv(ALGORITHM, key.bytes, bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(owner));
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return (
      decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
    );
  }

  /**
   * Logs each missing key once.
   * @returns undefined when the key is missing. @throws an error when the ciphertext was tampered with.
   */
  tryDecrypt(ciphertext: string, owner: string): string | undefined {
    try {
      return this.decrypt(ciphertext, owner);
    } catch (failure) {
      if (!(failure instanceof EncryptionKeyMissing)) throw failure;
      if (!this.reportedKeyIds.has(failure.keyId)) this.logger.error(failure.message);
      this.reportedKeyIds.add(failure.keyId);
      return undefined;
    }
  }

  /** Whether the ciphertext must be encrypted again with the current first key. */
  needsReencryption(ciphertext: string): boolean {
    return !ciphertext.startsWith(`${this.keys[0]?.id ?? ''}.`);
  }
}
