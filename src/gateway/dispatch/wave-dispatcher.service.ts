import { Injectable } from '@nestjs/common';
import { accountScope } from '../../auth/account-scope';
import { DisabledAccountsService } from '../../auth/accounts/disabled-accounts.service';
import { Clock } from '../../common/clock';
import { MINUTE_MS } from '../../common/durations';
import { Batch } from '../../messages/batch.schema';
import { OutgoingMessage } from '../../messages/message.schema';
import { PausedMessagesRepository } from '../batches/paused-messages.repository';
import { MessageRouter } from '../failover/message-router.service';
import { DispatchRepository, WaveKey } from './dispatch.repository';
import { MessageClaimer } from './message-claimer.service';
import { idsOf } from '../../common/documents';

/** When a message is checked again that became due while its batch is paused or being rescheduled. */
const PAUSED_RECHECK_MS = MINUTE_MS;

const DISABLED_ACCOUNT_RETRY_MS = MINUTE_MS;

/** Sorts out the due messages of a wave that may not leave now, and has the others routed, claimed and pushed. */
@Injectable()
export class WaveDispatcher {
  constructor(
    private readonly messages: DispatchRepository,
    private readonly paused: PausedMessagesRepository,
    private readonly router: MessageRouter,
    private readonly disabledAccounts: DisabledAccountsService,
    private readonly claimer: MessageClaimer,
    private readonly clock: Clock,
  ) {}

  async dispatch(batch: Batch, key: WaveKey, due: readonly OutgoingMessage[]): Promise<void> {
    await this.claimer.markExpiredClaimsDispatched(due);
    const claimable = due.filter(isClaimableAt(this.clock.now()));
    if (claimable.length === 0) return;
    if (await this.disabledAccounts.isDisabled(accountScope(batch.user))) {
      const now = this.clock.now();
      const retryAt = new Date(now.getTime() + DISABLED_ACCOUNT_RETRY_MS);
      await this.messages.postpone(idsOf(claimable), retryAt, now);
      return;
    }
    const routed = await this.router.route(batch, key, claimable);
    await Promise.all(routed.map((each) => this.claimer.claimAndPush(each, batch, key)));
  }

  /** Has the due messages of a paused batch wait, such as those whose push was unavailable. */
  async pause(batch: Batch, due: readonly OutgoingMessage[]): Promise<void> {
    const now = this.clock.now();
    await this.claimer.markExpiredClaimsDispatched(due);
    const waiting = due.filter(isClaimableAt(now));
    const recheckAt = new Date(now.getTime() + PAUSED_RECHECK_MS);
    if (waiting.length > 0)
      await this.paused.pause({ batch: batch._id, ids: idsOf(waiting) }, recheckAt, now);
  }
}

/** Expired messages, which `ExpiryService` fails, must not take the room of a SIM from messages that can leave. */
const isClaimableAt =
  (now: Date) =>
  ({ pushStartedAt, validUntil }: OutgoingMessage) =>
    !pushStartedAt && (!validUntil || validUntil > now);
