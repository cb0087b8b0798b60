import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../auth/account-scope';
import { ApiKeysRepository } from '../auth/api-keys/api-keys.repository';
import { DeviceTokensRepository } from '../auth/device-tokens/device-tokens.repository';
import { Clock } from '../common/clock';
import { AccessChanges } from '../infrastructure/redis/access-changes';
import { DevicesRepository } from '../devices/store/devices.repository';
import { WebhookSubscriptionsRepository } from '../webhooks/subscriptions/webhook-subscriptions.repository';

@Injectable()
export class AccountClosureService {
  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly tokens: DeviceTokensRepository,
    private readonly devices: DevicesRepository,
    private readonly subscriptions: WebhookSubscriptionsRepository,
    private readonly accessChanges: AccessChanges,
    private readonly clock: Clock,
  ) {}

  /** Revokes keys and tokens, marks devices as deleted and removes webhooks. Idempotent. Sessions end with the mark on the account. */
  async close(account: AccountScope): Promise<void> {
    const now = this.clock.now();
    await Promise.all([this.keys.revokeAll(account, now), this.tokens.removeAll(account)]);
    await this.devices.markAllDeleted(account, now);
    await this.subscriptions.removeAll(account, now);
    await this.accessChanges.publish(account);
  }
}
