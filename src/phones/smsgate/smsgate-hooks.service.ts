import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { accountScope } from '../../auth/account-scope';
import { DisabledAccountsService } from '../../auth/accounts/disabled-accounts.service';
import { DeviceTokensRepository } from '../../auth/device-tokens/device-tokens.repository';
import { RequestRateLimiter } from '../../auth/limits/request-rate-limiter.service';
import { Unauthorized } from '../../common/errors';
import { ConnectionRecorder } from '../../devices/connection/connection-recorder.service';
import { DevicesService } from '../../devices/devices.service';
import { IncomingSmsService } from '../incoming-sms.service';
import { PhoneService } from '../phone.service';
import { readHookPost } from './hook-post';
import { isSignedWith, type SignedPost, signingKeyOf } from './hook-signature';
import { ReceptionExports } from './reception-exports.service';

/** Takes what the app posts by itself: incoming texts and its state. */
@Injectable()
export class SmsGateHooks {
  constructor(
    private readonly tokens: DeviceTokensRepository,
    private readonly disabledAccounts: DisabledAccountsService,
    private readonly rateLimiter: RequestRateLimiter,
    private readonly devices: DevicesService,
    private readonly phones: PhoneService,
    private readonly incoming: IncomingSmsService,
    private readonly exports: ReceptionExports,
    private readonly connections: ConnectionRecorder,
  ) {}

  /**
   * Takes a post of an app. An unsigned one counts for the limits of its address. Before the app has fetched its key it signs with one of its
   * own, is refused, and repeats the post.
   * @throws Unauthorized, RateLimited, DeviceNotFound, ReceiveLimitReached
   */
  async take(device: Types.ObjectId, post: SignedPost, address: string): Promise<void> {
    const token = await this.tokens.findOfDevice(device);
    if (!token || !isSignedWith(signingKeyOf(token.hash), post)) {
      await this.rateLimiter.countUnauthenticated({ credentialHash: undefined, address, isExempt: false });
      throw new Unauthorized();
    }
    const account = accountScope(token.user);
    if (await this.disabledAccounts.isDisabled(account)) throw new Unauthorized();
    const read = readHookPost(post.body);
    if (read.event === 'received') {
      const stored = await this.devices.getStored(account, device);
      if (!(await this.exports.isKnown(account, stored, read.upload)))
        await this.incoming.receive(account, device, read.upload);
    }
    if (read.event === 'ping') await this.phones.heartbeat(account, device, read.facts);
    else this.connections.recordCall(device, 'call');
  }
}
