import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { accountScope } from '../../auth/account-scope';
import { DisabledAccountsService } from '../../auth/accounts/disabled-accounts.service';
import { Clock } from '../../common/clock';
import { MINUTE_MS } from '../../common/durations';
import { Batch } from '../../messages/batch.schema';
import { Message, SentMessage } from '../../messages/message.schema';
import { PausedMessagesRepository } from '../batches/paused-messages.repository';
import { MessageRouter } from '../failover/message-router.service';
import { DispatchRepository, WaveKey } from './dispatch.repository';
import { MessagePusher } from './message-pusher.service';

/** A message that is due although its batch is paused is looked at again after this time. */
const PAUSED_RECHECK_MS = MINUTE_MS;

const DISABLED_ACCOUNT_RETRY_MS = MINUTE_MS;

/** Pushes the due messages of a wave, if their account and their phone may send. */
@Injectable()
export class WavePusher {
  constructor(
    private readonly messages: DispatchRepository,
    private readonly paused: PausedMessagesRepository,
    private readonly router: MessageRouter,
    private readonly disabledAccounts: DisabledAccountsService,
    private readonly pusher: MessagePusher,
    private readonly clock: Clock,
  ) {}

  /** Pushes the due messages of a wave, unless the account is disabled or the device cannot send. */
  async pushWave(batch: Batch, wave: WaveKey, due: readonly SentMessage[]): Promise<void> {
    const unclaimed = (await this.pusher.settleExpiredClaims(due)).filter(isValidAt(this.clock.now()));
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
   * Has the due messages of a paused batch wait, such as those that a push service did not take. Others go on: those that
   * are claimed, and those that expire.
   */
  async holdWave(batch: Batch, wave: WaveKey, due: readonly SentMessage[]): Promise<void> {
    const now = this.clock.now();
    const isWaiting = (message: SentMessage) => !message.pushStartedAt && isValidAt(now)(message);
    const waiting = due.filter(isWaiting);
    const recheckAt = new Date(now.getTime() + PAUSED_RECHECK_MS);
    if (waiting.length > 0)
      await this.paused.hold({ batch: batch._id, ids: waiting.map(idOf) }, recheckAt, now);
    if (waiting.length < due.length)
      await this.pushWave(
        batch,
        wave,
        due.filter((message) => !isWaiting(message)),
      );
  }
}

/** `ExpiryService` fails the others. They must not take the room of a SIM from messages that can leave. */
const isValidAt =
  (now: Date) =>
  ({ validUntil }: SentMessage) =>
    !validUntil || validUntil > now;

const idOf = ({ _id }: Message): Types.ObjectId => _id;
