import { Injectable } from '@nestjs/common';
import { AccountScope } from '../../auth/account-scope';
import { AccountTurns } from '../../auth/limits/account-turns.service';
import { TaskCoalescer } from '../../common/coalescer';
import { Batch } from '../../messages/batch.schema';
import { MessageChanges } from '../../messages/changes/message-changes.service';
import { AcceptanceService } from './acceptance/acceptance.service';
import type { PreparedSend } from './acceptance/prepared-send';
import { DispatchQueue } from '../waves/dispatch.queue';
import type { WaveToEnqueue } from '../waves/wave-key';
import { idempotentRequest, IdempotencyService } from './acceptance/idempotency.service';
import { namesList } from './list-recipients.service';
import { SendPreparationService } from './send-preparation.service';
import type { SendInput } from '../send-input/send-input';
import { type SendSize, sizeOfSend } from '../send-input/send-size';
import { skipUnreadable, type SkippedRecipients } from '../send-input/skip-unreadable';
import type { ValidatedSend } from '../send-input/send-validation';

export interface SendResult {
  readonly batch: Batch;
  /** Whether an earlier request with the same idempotency key created the batch. */
  readonly replayed: boolean;
  readonly size: SendSize;
  /** Recipients that were left out, as the request asked for. */
  readonly skipped?: SkippedRecipients;
}

/** Sends of one text to at most this many recipients are batched with concurrent ones. */
const MAX_SMALL_SEND_RECIPIENTS = 20;

/** Accepts sends. A send is stored durably before it is answered. */
@Injectable()
export class SendService {
  // Only the writes are batched, so that the reads of the next sends run during the writes of these.
  private readonly smallSends = new TaskCoalescer(([account, send]: [AccountScope, PreparedSend]) =>
    this.acceptance.accept(account, send),
  );

  constructor(
    private readonly preparation: SendPreparationService,
    private readonly acceptance: AcceptanceService,
    private readonly idempotency: IdempotencyService,
    private readonly queue: DispatchQueue,
    private readonly changes: MessageChanges,
    private readonly turns: AccountTurns,
  ) {}

  /**
   * Accepts a send. A request repeated with the same idempotency key is not sent again: it gets the batch of the first one.
   * @throws ValidationFailed, IdempotencyKeyReused, EmailNotVerified, DeviceNotFound, DeviceDisabled,
   * DeviceDraining, DeviceNotPushable, PushTokenHeld, NoEnabledDevice, PoolNotFound, NoEnabledSim, RecipientSuppressed,
   * PlanLimitReached, SendAbandoned
   */
  async send(account: AccountScope, given: SendInput, idempotencyKey?: string): Promise<SendResult> {
    if (!namesList(given)) return this.accept(account, given, idempotencyKey);
    // However small its request, it is large.
    const end = await this.turns.begin(account);
    try {
      return await this.accept(account, given, idempotencyKey);
    } finally {
      end();
    }
  }

  private async accept(
    account: AccountScope,
    given: SendInput,
    idempotencyKey: string | undefined,
  ): Promise<SendResult> {
    const idempotency =
      idempotencyKey === undefined ? undefined : await idempotentRequest(idempotencyKey, given);
    for (;;) {
      // Checked first: a replay must not depend on the current time, device or plan.
      const original = idempotency && (await this.idempotency.findOriginalBatch(account, idempotency));
      if (original) return replayOf(original, given);
      const { skipped, ...prepared } = await this.preparation.prepare(account, given);
      const size = await sizeOfSend(prepared.input);
      const send = { ...prepared, idempotency, ...(namesList(given) && { parts: size.parts }) };
      const batch = await (isSmall(send.request)
        ? this.smallSends.run([account, send])
        : this.acceptance.accept(account, send));
      if (!batch) continue; // another request took the idempotency key first
      this.changes.recordAccepted(batch);
      await this.queue.enqueueAccepted(initialWaves(batch));
      return { batch, replayed: false, size, skipped };
    }
  }
}

/** Of a send to a list, what was left out is not known any more, and the list may have other members now. */
async function replayOf(batch: Batch, given: SendInput): Promise<SendResult> {
  const { input, skipped } = await skipUnreadable(given);
  const size = { ...(await sizeOfSend(input)), ...(batch.parts !== undefined && { parts: batch.parts }) };
  return { batch, replayed: true, size, skipped };
}

function isSmall({ entries }: ValidatedSend): boolean {
  const [only, ...others] = entries;
  return others.length === 0 && only !== undefined && only.recipients.length <= MAX_SMALL_SEND_RECIPIENTS;
}

/** The first wave of each group. Its job plans the group if necessary, and enqueues the next wave. */
function initialWaves(batch: Batch): WaveToEnqueue[] {
  return batch.groups.map(({ firstWave, startAt, scheduledAt }) => {
    const dueAt = startAt ?? scheduledAt;
    return { user: batch.user, batch: batch._id, wave: firstWave, ...(dueAt && { dueAt }) };
  });
}
