import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ApiKeysService } from '../api-keys/api-keys.service';
import { PairingCodesService } from './pairing-codes.service';

/** Pairs programs that are phones, such as the package messaging-gateway-phone: they get a phone key. */
@Injectable()
export class PhoneKeyPairing {
  constructor(
    private readonly codes: PairingCodesService,
    private readonly keys: ApiKeysService,
  ) {}

  /**
   * Uses up a code. The first registration with the key stores the device under the id of the redemption.
   * @returns a phone key.
   * @throws PairingCodeInvalid, TooManyAttempts, TooManyApiKeys
   */
  async pair(code: string, name: string | undefined, address: string): Promise<string> {
    const fingerprint = createHash('sha256')
      .update(JSON.stringify(['phone-key', name]))
      .digest('base64url');
    const { account, device } = await this.codes.redeem(code, { address, fingerprint });
    return this.keys.createForNewDevice(account, name, device);
  }
}
