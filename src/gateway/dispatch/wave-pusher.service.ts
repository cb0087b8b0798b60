import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { accountScope } from '../../auth/account-scope';
import { DisabledAccountsService } from '../../auth/accounts/disabled-accounts.service';
import { Clock } from '../../common/clock';
import { Batch } from '../../messages/batch.schema';
import { Message, SentMessage } from '../../messages/message.schema';
import { MessageRouter } from '../failover/message-router.service';
import { DispatchOutcomes } from './dispatch-outcomes.service';
import { DispatchRepository, WaveKey } from './dispatch.repository';
import { MessagePusher } from './message-pusher.service';

/** A claim without a push result after this time belongs to a dead worker. Longer than any push takes. */
const PUSH_LEASE_MS = 60_000;

const DISABLED_ACCOUNT_RETRY_MS = 60_000;

/** Pushes the due messages of a wave, if their account and their phone may send. */
@Injectable()
export class WavePusher {
  constructor(
    private readonly messages: DispatchRepository,
    private readonly router: MessageRouter,
    private readonly disabledAccounts: DisabledAccountsService,
    private readonly pusher: MessagePusher,
    private readonly outcomes: DispatchOutcomes,
    private readonly clock: Clock,
  ) {}

  /** Pushes the due messages of a wave, unless the account is disabled or the device cannot send. */
  async pushWave(batch: Batch, wave: WaveKey, due: readonly SentMessage[]): Promise<void> {
    const unclaimed = (await this.settleExpiredClaims(due)).filter(isValidAt(this.clock.now()));
    if (unclaimed.length === 0) return;
    if (await this.disabledAccounts.isDisabled(accountScope(batch.user))) {
      const now = this.clock.now();
      const retryAt = new Date(now.getTime() + DISABLED_ACCOUNT_RETRY_MS);
      await this.messages.postpone(unclaimed.map(idOf), retryAt, now);
      return;
    }
    const routed = await this.router.route(batch, wave, unclaimed);
    await Promise.all(routed.map((each) => this.pusher.pushTo(each, batch, wave)));
  }

  /**
   * Moves messages whose claim has expired to dispatched: the push service may have accepted them, and a second push
   * could send the SMS twice.
   * @returns the messages that are not claimed.
   */
  private async settleExpiredClaims(due: readonly SentMessage[]): Promise<SentMessage[]> {
    const now = this.clock.now();
    const expired = due.filter(
      ({ pushStartedAt }) => pushStartedAt && now.getTime() - pushStartedAt.getTime() > PUSH_LEASE_MS,
    );
    if (expired.length > 0) {
      await this.outcomes.moveToDispatched(expired);
      for (const { device } of expired) this.pusher.recordHandOver(device);
    }
    return due.filter(({ pushStartedAt }) => !pushStartedAt);
  }
}

/** `ExpiryService` fails the others. They must not take the room of a SIM from messages that can leave. */
const isValidAt =
  (now: Date) =>
  ({ validUntil }: SentMessage) =>
    !validUntil || validUntil > now;

const idOf = ({ _id }: Message): Types.ObjectId => _id;
