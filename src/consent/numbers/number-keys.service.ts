import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../../auth/account-scope';
import { InstallationSecrets } from '../../infrastructure/encryption/installation-secrets.service';

const SECRET = 'suppressions';

/** Identifies numbers by an HMAC under a secret of the installation, so that a block can outlive the number that it is for. */
@Injectable()
export class NumberKeys {
  constructor(private readonly secrets: InstallationSecrets) {}

  /**
   * @param numbers in comparable form, see `peerNumber` in `src/common`. @returns their keys, in this order.
   * @throws EncryptionKeyMissing
   */
  async keysOf({ user }: AccountScope, numbers: readonly string[]): Promise<string[]> {
    const secret = await this.secrets.get(SECRET);
    const account = user.toHexString();
    return numbers.map((number) =>
      createHmac('sha256', secret).update(`${account} ${number}`).digest('base64url'),
    );
  }

  async keyOf(account: AccountScope, number: string): Promise<string> {
    const [key = ''] = await this.keysOf(account, [number]);
    return key;
  }
}
