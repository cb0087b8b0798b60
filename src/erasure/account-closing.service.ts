import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../auth/account-scope';
import { ApiKeysRepository } from '../auth/api-keys.repository';
import { Clock } from '../common/clock';
import { AccessChanges } from '../common/redis/access-changes';
import { DevicesRepository } from '../devices/devices.repository';
import { SubscriptionsRepository } from '../webhooks/subscriptions.repository';

/** Shuts everything that opens an account or acts for it. Its sessions end with the mark on the account. */
@Injectable()
export class AccountClosing {
  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly devices: DevicesRepository,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly accessChanges: AccessChanges,
    private readonly clock: Clock,
  ) {}

  /** Keys are refused, phones are handed nothing, webhooks are called no more. Can be repeated. */
  async close(account: AccountScope): Promise<void> {
    const now = this.clock.now();
    await this.keys.revokeAll(account, now);
    await this.devices.markAllDeleted(account, now);
    await this.subscriptions.removeAll(account, now);
    await this.accessChanges.announce(account);
  }
}
