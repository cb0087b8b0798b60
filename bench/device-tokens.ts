import { createHmac, randomBytes } from 'node:crypto';
import { hashSecret } from '../src/auth/token';
import type { Owner } from './documents';
import type { Records } from './records';

/** The tokens of phones with the app SMSGate. */
export class DeviceTokens {
  private readonly secret = randomBytes(16);

  constructor(private readonly records: Records) {}

  /** Gives each device a token, which replaces an earlier one. */
  async store({ user, devices }: Owner): Promise<void> {
    const createdAt = new Date();
    await this.records.deviceTokens.bulkWrite(
      devices.map((_id) => ({
        replaceOne: {
          filter: { _id },
          replacement: { user, hash: hashSecret(this.tokenOf(_id.toHexString())), createdAt },
          upsert: true,
        },
      })),
    );
  }

  tokenOf(device: string): string {
    return createHmac('sha256', this.secret).update(device).digest('base64url');
  }
}
