import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../../../auth/account-scope';
import { AccountTurns } from '../../../auth/limits/account-turns.service';
import { BillingService } from '../../../billing/billing.service';
import { Clock } from '../../../common/clock';
import { isDatabaseOutage } from '../../../common/database-outage';
import { Batch, isBulk } from '../../../messages/batch.schema';
import { BatchesRepository } from '../../../messages/batches.repository';
import { Message } from '../../../messages/message.schema';
import { MAX_PREVIEW_RECIPIENTS, recipientPreview } from '../../../messages/recipient-preview';
import { MessagesRepository } from '../../../messages/messages.repository';
import type { Sender } from '../../senders/assignment';
import { recipientNumber } from '../plan/recipient-number';
import type { PreparedSend } from './prepared-send';
import { SuppressedRecipients } from './suppressed-recipients.service';
import { chargedDays, chargesOfSend } from './batch-charges';
import { SendRollbackService } from './send-rollback.service';
import type { SendPlanMessage, SendPlan } from '../plan/send-plan';
import { plannedQuietWait } from '../plan/planned-quiet-wait';
import { SendPlanner } from '../plan/send-planner.service';
import { SendAbandoned } from '../../send-input/send.errors';

/** Messages of one write and the characters of their texts: it is built and serialised in about 15 milliseconds. */
const MAX_WRITE = { messages: 500, characters: 100_000 };

/**
 * Stores a send completely or not at all: inserts the batch as `accepting`, reserves plan usage, plans it, which reserves time of its
 * sender, inserts the messages, and sets the batch to `accepted`. The last write is the commit. If the process dies before it, nothing is sent and
 * `BatchRecoveryScheduler` rolls the send back.
 */
@Injectable()
export class AcceptanceService {
  constructor(
    private readonly suppressedRecipients: SuppressedRecipients,
    private readonly planner: SendPlanner,
    private readonly billing: BillingService,
    private readonly batches: BatchesRepository,
    private readonly messages: MessagesRepository,
    private readonly rollback: SendRollbackService,
    private readonly turns: AccountTurns,
    private readonly clock: Clock,
  ) {}

  /**
   * @returns the accepted batch, or null if a concurrent request used the same idempotency key first.
   * @throws RecipientSuppressed, PlanLimitReached, SendAbandoned
   */
  async accept(account: AccountScope, send: PreparedSend): Promise<Batch | null> {
    const batch = newBatch(account, send, this.clock.now());
    // Checked meanwhile, because most sends are allowed, and one read after the other took a seventh of the rate.
    const allowed = this.suppressedRecipients.assertAnyAllowed(account, send);
    allowed.catch(() => undefined);
    try {
      if (!(await this.batches.insert(batch))) return null;
      await allowed;
      return await this.complete(account, send, batch);
    } catch (failure) {
      // If this fails too, BatchRecoveryScheduler does it. A batch whose insert failed may be stored.
      const abandoned = this.rollback.abandon(batch).catch(() => undefined);
      // The caller of a database that is away does not wait for it twice.
      if (!isDatabaseOutage(failure)) await abandoned;
      throw failure;
    }
  }

  private async complete(account: AccountScope, send: PreparedSend, batch: Batch): Promise<Batch> {
    const { request, assignment } = send;
    const charges = chargesOfSend(request, batch.createdAt);
    const charge = { batch: batch._id, charges, at: batch.createdAt };
    await this.billing.reserve(account, send.billingPlan, charge);
    const sendPlan = await this.planner.plan(account, request, assignment);
    const { groups, estimatedCompletionAt } = sendPlan;
    if (groups.some(({ startAt }) => startAt)) await this.batches.recordGroups(batch, groups);
    const delayMs = await this.storeMessages(account, batch, send, sendPlan);
    await assignment.recordRoundRobinTurns?.();
    const completionAt = estimatedCompletionAt && new Date(estimatedCompletionAt.getTime() + delayMs);
    const planned = { groups, ...(completionAt && { estimatedCompletionAt: completionAt }) };
    const accepted = await this.batches.accept(batch, planned, this.clock.now());
    if (accepted) {
      this.billing.confirm(account, batch._id);
      return accepted;
    }
    // Abandoned while this process was slow: remove what it stored since.
    await this.rollback.rollBack(Object.assign({}, batch, { groups }));
    throw new SendAbandoned();
  }

  /** @returns by how much quiet hours delay the estimated completion. */
  private async storeMessages(
    account: AccountScope,
    batch: Batch,
    send: PreparedSend,
    sendPlan: SendPlan,
  ): Promise<number> {
    const doPart = this.turns.parts(account);
    let delayMs = 0;
    let chunk: SendPlanMessage[] = [];
    let characters = 0;
    const insert = async () => {
      // Taken per chunk: lists are sorted by createdAt, so it must be close to the time of the insert.
      const createdAt = this.clock.now();
      const messages = chunk.map((planned) => newMessage(batch, send, planned, createdAt));
      if (sendPlan.estimatedCompletionAt)
        for (const [index, planned] of chunk.entries())
          delayMs = Math.max(delayMs, quietDelayMs(send, planned, messages[index], createdAt));
      await this.messages.insert(messages);
    };
    const store = async () => {
      await doPart(insert);
      chunk = [];
      characters = 0;
    };
    for (const planned of sendPlan.messages()) {
      const { message, encryptedMessage } = planned.entry;
      chunk.push(planned);
      characters += (encryptedMessage ?? message).length;
      if (chunk.length >= MAX_WRITE.messages || characters >= MAX_WRITE.characters) await store();
    }
    // Not as a part: a small send does not wait for the long work of its account.
    if (chunk.length > 0) await insert();
    return delayMs;
  }
}

function newBatch(
  account: AccountScope,
  { request, assignment, idempotency, checksConsent, parts }: PreparedSend,
  now: Date,
): Batch {
  const { entries, messageTemplate, priority, quietHours, purpose, topic } = request;
  const { pool, devices } = assignment;
  const validUntil = latest(entries.map((entry) => entry.validUntil));
  const firstRecipients = entries.flatMap(({ recipients }) => recipients.slice(0, MAX_PREVIEW_RECIPIENTS));
  const recipientCount = entries.reduce((sum, { recipients }) => sum + recipients.length, 0);
  const [text, ...otherTexts] = new Set(entries.map(({ message }) => message));
  const charged = chargedDays(chargesOfSend(request, now), now);
  const encrypted = entries.every(({ encryptedMessage }) => encryptedMessage !== undefined);
  const [ciphertext, ...otherCiphertexts] = new Set(entries.map(({ encryptedMessage }) => encryptedMessage));
  return {
    _id: new Types.ObjectId(),
    user: account.user,
    device: devices[0]._id,
    ...(pool && { pool, devices: devices.map(({ _id }) => _id) }),
    acceptance: 'accepting',
    ...(priority && { priority }),
    ...(validUntil && { validUntil }),
    ...(quietHours && { quietHours }),
    ...(purpose && { purpose }),
    ...(topic !== undefined && { topic }),
    ...(checksConsent && { checksConsent }),
    ...(otherTexts.length === 0 && { message: text }),
    ...(encrypted && { encrypted }),
    ...(otherCiphertexts.length === 0 && ciphertext !== undefined && { encryptedMessage: ciphertext }),
    recipientCount,
    ...(parts !== undefined && { parts }),
    recipientPreview: recipientPreview(firstRecipients, recipientCount),
    ...(messageTemplate !== undefined && { messageTemplate }),
    ...(charged && { chargedDays: charged }),
    groups: [],
    ...(idempotency && { idempotencyKey: idempotency.key, requestHash: idempotency.hash }),
    unsettledSince: now,
    createdAt: now,
    updatedAt: now,
  };
}

function newMessage(batch: Batch, send: PreparedSend, planned: SendPlanMessage, createdAt: Date): Message {
  const { entry, recipient, sender, wave, waveOffsetMs, dueAt } = planned;
  const simSubscriptionId = sender.sim ? sender.sim.subscriptionId : entry.simSubscriptionId;
  return {
    _id: new Types.ObjectId(),
    user: batch.user,
    device: sender.device._id,
    direction: 'sent',
    status: 'pending',
    message: entry.message,
    ...(entry.encryptedMessage !== undefined && {
      encrypted: true,
      encryptedMessage: entry.encryptedMessage,
    }),
    recipient,
    peerNumber: recipientNumber(send, planned),
    smsBatch: batch._id,
    ...(isBulk(batch) && { isBulk: true }),
    ...(simSubscriptionId !== undefined && { simSubscriptionId }),
    ...(batch.pool && { pool: batch.pool, ...choiceOf(sender, batch.createdAt) }),
    requestedAt: batch.createdAt,
    ...(dueAt && { dispatchDueAt: dueAt }),
    wave,
    ...(waveOffsetMs !== undefined && { waveOffsetMs }),
    ...(batch.priority && { priority: batch.priority }),
    ...(entry.validUntil && { validUntil: entry.validUntil }),
    nextDispatchAt: dueAt ?? batch.createdAt,
    raised: [],
    outbox: [],
    createdAt,
    updatedAt: createdAt,
  };
}

function quietDelayMs(
  { request }: PreparedSend,
  planned: SendPlanMessage,
  message: Message | undefined,
  now: Date,
): number {
  return plannedQuietWait(request, planned, message?.peerNumber ?? '', now)?.delayMs ?? 0;
}

/** @returns undefined unless all have a time. */
function latest(times: readonly (Date | undefined)[]): Date | undefined {
  const known = times.filter((time) => time !== undefined);
  if (known.length < times.length) return undefined;
  return new Date(Math.max(...known.map((time) => time.getTime())));
}

/** What is stored of a pool's choice; without a reason, until a SIM can take the message. */
const choiceOf = ({ sim, reason }: Sender, at: Date): Partial<Message> => ({
  ...(sim && { sim: sim._id }),
  ...(sim?.subscriptionId !== undefined && { isSimChosen: true }),
  ...(reason && { choice: { reason, at } }),
});
