import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { EncryptionConfig } from '../config/encryption.config';
import { OperatorError } from './errors';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A secret was encrypted with a key that is not among those configured. */
export class EncryptionKeyMissing extends OperatorError {
  constructor(readonly keyId: string) {
    super(
      `A secret was encrypted with the key ${keyId}, which ENCRYPTION_KEYS lacks; put it back behind the others`,
    );
  }
}

interface Key {
  /** Begins every box the key has closed; tells nothing of the key. */
  readonly id: string;
  readonly bytes: Buffer;
}

/** Keeps secrets unreadable to whoever gets hold of the database alone: AES-256-GCM under the operator's keys. */
@Injectable()
export class SecretBox {
  private readonly logger = new Logger(SecretBox.name);
  private readonly keys: readonly Key[];
  /** Ids of missing keys that were logged. */
  private readonly reported = new Set<string>();

  constructor(config: EncryptionConfig) {
    this.keys = config.keys.map((hex) => {
      const bytes = Buffer.from(hex, 'hex');
      return { id: createHash('sha256').update(bytes).digest('hex').slice(0, 8), bytes };
    });
  }

  /**
   * Encrypts with the first key.
   * @param owner what the secret belongs to: a box that is moved to another owner does not open.
   */
  close(secret: string, owner: string): string {
    const [key] = this.keys;
    if (!key) throw new OperatorError('ENCRYPTION_KEYS is not set');
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, key.bytes, nonce).setAAD(Buffer.from(owner));
    const sealed = [cipher.update(secret, 'utf8'), cipher.final()];
    return `${key.id}.${Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]).toString('base64url')}`;
  }

  /** @throws EncryptionKeyMissing, or an error when the box was tampered with. */
  open(box: string, owner: string): string {
    const [id = '', content = ''] = box.split('.');
    const key = this.keys.find((known) => known.id === id);
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
   * Opens what can be opened. The first box of a missing key is logged, for the operator.
   * @returns undefined when its key is missing. @throws an error when the box was tampered with.
   */
  openIfKeyed(box: string, owner: string): string | undefined {
    try {
      return this.open(box, owner);
    } catch (failure) {
      if (!(failure instanceof EncryptionKeyMissing)) throw failure;
      if (!this.reported.has(failure.keyId)) this.logger.error(failure.message);
      this.reported.add(failure.keyId);
      return undefined;
    }
  }

  /** Whether a box was closed with another key than new ones are. */
  isStale(box: string): boolean {
    return !box.startsWith(`${this.keys[0]?.id ?? ''}.`);
  }
}
