import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { BillingService } from '../billing/billing.service';
import { Clock } from '../common/clock';
import { DispatchConfig } from '../config/dispatch.config';
import { Device } from '../devices/device.schema';
import { DevicesRepository } from '../devices/devices.repository';
import { Batch } from '../messages/batch.schema';
import { BatchesRepository } from '../messages/batches.repository';
import { MessageMetrics } from '../messages/message.metrics';
import { Message } from '../messages/message.schema';
import { MessagesRepository } from '../messages/messages.repository';
import { chargedDays, chargesOfOrder } from './batch-charges';
import { AbandonmentService } from './abandonment.service';
import { IdempotentRequest } from './idempotent-requests.service';
import { SendOrder } from './send-order';
import { pacedNowMs, PlannedMessage, planSend, SendPlan } from './send-plan';
import { SendAbandoned } from './send.errors';

/** Messages stored in one write. */
const CHUNK = 1_000;
const PREVIEWED_RECIPIENTS = 3;

/** A send whose device is chosen. */
export interface ReadySend {
  readonly order: SendOrder;
  readonly device: Device;
  readonly plan: string | undefined;
  readonly idempotency: IdempotentRequest | undefined;
}

/**
 * Stores a send so that either all of it goes out or nothing. The batch is stored as `accepting`, then the
 * allowance is reserved, then the messages are stored, then the batch is flipped to `accepted`: that write is the
 * commit. A process that dies before it has sent nothing, and the sweeper takes back what it left.
 */
@Injectable()
export class AcceptanceService {
  constructor(
    private readonly config: DispatchConfig,
    private readonly billing: BillingService,
    private readonly devices: DevicesRepository,
    private readonly batches: BatchesRepository,
    private readonly messages: MessagesRepository,
    private readonly abandonment: AbandonmentService,
    private readonly metrics: MessageMetrics,
    private readonly clock: Clock,
  ) {}

  /**
   * @returns the accepted batch, or null when another request took the idempotency key first.
   * @throws PlanLimitReached, SendAbandoned
   */
  async accept(account: AccountScope, send: ReadySend): Promise<Batch | null> {
    const batch = newBatch(account, send, this.clock.now());
    if (!(await this.batches.insert(batch))) return null;
    try {
      return await this.complete(account, send, batch);
    } catch (failure) {
      // Should this fail too, the sweeper does it.
      await this.abandonment.abandon(batch).catch(() => undefined);
      throw failure;
    }
  }

  private async complete(account: AccountScope, send: ReadySend, batch: Batch): Promise<Batch> {
    const { order, device } = send;
    const charges = chargesOfOrder(order, batch.createdAt);
    const charge = { batch: batch._id, charges, at: batch.createdAt };
    await this.billing.reserve(account, send.plan, charge);
    const startAt = await this.takeTimeline(account, send);
    const plan = planSend(order, this.config.waveSize, device.smsSendDelaySeconds, startAt);
    await this.storeMessages(batch, plan);
    const { groups, estimatedCompletionAt } = plan;
    const planned = { groups, ...(estimatedCompletionAt && { estimatedCompletionAt }) };
    const accepted = await this.batches.accept(batch, planned, this.clock.now());
    if (accepted) {
      this.metrics.count('pending', accepted.recipientCount);
      return accepted;
    }
    // Given up while it was slow: what it stored since must go as well.
    await this.abandonment.takeBack(batch);
    throw new SendAbandoned();
  }

  private async takeTimeline(account: AccountScope, { order, device }: ReadySend): Promise<Date | undefined> {
    const duration = pacedNowMs(order, this.config.waveSize, device.smsSendDelaySeconds);
    if (duration === 0) return undefined;
    const now = this.clock.now();
    return (await this.devices.takeTimeline(account, device._id, duration, now)) ?? now;
  }

  private async storeMessages(batch: Batch, plan: SendPlan): Promise<void> {
    let chunk: PlannedMessage[] = [];
    const store = async () => {
      // Set per chunk, so that the list, which is read in this order, gets its entries close to when they appear.
      const createdAt = this.clock.now();
      await this.messages.insert(chunk.map((planned) => newMessage(batch, planned, createdAt)));
      chunk = [];
    };
    for (const planned of plan.messages()) {
      chunk.push(planned);
      if (chunk.length === CHUNK) await store();
    }
    if (chunk.length > 0) await store();
  }
}

function newBatch(account: AccountScope, { order, device, idempotency }: ReadySend, now: Date): Batch {
  const recipientCount = order.entries.reduce((sum, { recipients }) => sum + recipients.length, 0);
  const [text, ...otherTexts] = new Set(order.entries.map(({ message }) => message));
  const charged = chargedDays(chargesOfOrder(order, now), now);
  const encrypted = order.entries.every(({ encryptedMessage }) => encryptedMessage !== undefined);
  return {
    _id: new Types.ObjectId(),
    user: account.user,
    device: device._id,
    acceptance: 'accepting',
    ...(otherTexts.length === 0 && { message: text }),
    ...(encrypted && { encrypted }),
    recipientCount,
    recipientPreview: previewOf(order, recipientCount),
    ...(order.messageTemplate !== undefined && { messageTemplate: order.messageTemplate }),
    ...(charged && { chargedDays: charged }),
    groups: [],
    ...(idempotency && { idempotencyKey: idempotency.key, requestHash: idempotency.hash }),
    unsettledSince: now,
    createdAt: now,
    updatedAt: now,
  };
}

function previewOf(order: SendOrder, recipientCount: number): string {
  const first = order.entries.flatMap(({ recipients }) => recipients.slice(0, PREVIEWED_RECIPIENTS));
  const preview = first.slice(0, PREVIEWED_RECIPIENTS).join(', ');
  const more = recipientCount - Math.min(recipientCount, PREVIEWED_RECIPIENTS);
  return more > 0 ? `${preview} and ${more} more` : preview;
}

function newMessage(batch: Batch, planned: PlannedMessage, createdAt: Date): Message {
  const { entry, recipient, wave, dueAt } = planned;
  return {
    _id: new Types.ObjectId(),
    user: batch.user,
    device: batch.device,
    direction: 'sent',
    status: 'pending',
    message: entry.message,
    ...(entry.encryptedMessage !== undefined && {
      encrypted: true,
      encryptedMessage: entry.encryptedMessage,
    }),
    recipient,
    smsBatch: batch._id,
    ...(entry.simSubscriptionId !== undefined && { simSubscriptionId: entry.simSubscriptionId }),
    requestedAt: batch.createdAt,
    ...(dueAt && { dispatchDueAt: dueAt }),
    wave,
    nextDispatchAt: dueAt ?? batch.createdAt,
    raised: [],
    outbox: [],
    createdAt,
    updatedAt: createdAt,
  };
}
