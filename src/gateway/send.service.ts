import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { Clock } from '../common/clock';
import { AppError, ValidationFailed } from '../common/errors';
import { DispatchConfig } from '../config/dispatch.config';
import { Device } from '../devices/device.schema';
import { DevicesRepository } from '../devices/devices.repository';
import { Batch } from '../messages/batch.schema';
import { BatchesRepository } from '../messages/batches.repository';
import { Message } from '../messages/message.schema';
import { MessagesRepository } from '../messages/messages.repository';
import { DispatchQueue, DueWave } from './dispatch.queue';
import { RawOrder, readSendOrder, SendOrder } from './send-order';
import { pacedNowMs, PlannedMessage, planSend, SendPlan } from './send-plan';
import { SendingDeviceService } from './sending-device.service';
import { waveDueAt } from './wave-plan';

/** Messages stored in one write. */
const CHUNK = 1_000;
const PREVIEWED_RECIPIENTS = 3;

class SendAbandoned extends AppError {
  readonly kind = 'unavailable';
  readonly code = 'SEND_ABANDONED';

  constructor() {
    super('The server was too slow to accept the send; nothing was sent, send it again');
  }
}

/** Accepts sends: once this returns, what it promises is in the database. */
@Injectable()
export class SendService {
  constructor(
    private readonly config: DispatchConfig,
    private readonly sendingDevice: SendingDeviceService,
    private readonly devices: DevicesRepository,
    private readonly batches: BatchesRepository,
    private readonly messages: MessagesRepository,
    private readonly queue: DispatchQueue,
    private readonly clock: Clock,
  ) {}

  /**
   * Accepts a send: the batch is stored as `accepting`, then its messages, then the batch is flipped to
   * `accepted`. That last write is the commit; a process that dies before it has sent nothing.
   * @throws ValidationFailed, DeviceNotFound, DeviceDisabled, DeviceNotPushable, NoDevice
   */
  async send(account: AccountScope, request: RawOrder): Promise<Batch> {
    const now = this.clock.now();
    const order = readSendOrder(request, now);
    const device = await this.sendingDevice.choose(account, order.deviceId);
    this.checkSims(order, device);
    const startAt = await this.takeTimeline(account, order, device, now);
    const plan = planSend(order, this.config.waveSize, device.smsSendDelaySeconds, startAt);
    const batch = this.newBatch(account, order, device, plan, now);
    await this.batches.insert(batch);
    await this.storeMessages(batch, plan, now);
    if (!(await this.batches.accept(account, batch._id, this.clock.now()))) throw new SendAbandoned();
    await this.queue.wake(firstWakeUps(batch));
    return batch;
  }

  private checkSims(order: SendOrder, device: Device): void {
    const sims = device.simInfo?.sims;
    if (!sims?.length) return;
    const known = new Set(sims.map(({ subscriptionId }) => subscriptionId));
    for (const { simSubscriptionId } of order.entries) {
      if (simSubscriptionId === undefined || known.has(simSubscriptionId)) continue;
      const choice = [...known].join(', ');
      const message = `simSubscriptionId ${simSubscriptionId} is not a SIM of the device; it has ${choice}`;
      throw new ValidationFailed([{ field: 'simSubscriptionId', message }]);
    }
  }

  private async takeTimeline(
    account: AccountScope,
    order: SendOrder,
    device: Device,
    now: Date,
  ): Promise<Date | undefined> {
    const duration = pacedNowMs(order, this.config.waveSize, device.smsSendDelaySeconds);
    if (duration === 0) return undefined;
    return (await this.devices.takeTimeline(account, device._id, duration, now)) ?? now;
  }

  private newBatch(
    account: AccountScope,
    order: SendOrder,
    device: Device,
    plan: SendPlan,
    now: Date,
  ): Batch {
    const recipients = order.entries.flatMap((entry) => entry.recipients.slice(0, PREVIEWED_RECIPIENTS));
    const recipientCount = plan.groups.reduce((sum, { count }) => sum + count, 0);
    const texts = new Set(order.entries.map(({ message }) => message));
    const [text] = texts;
    const preview = recipients.slice(0, PREVIEWED_RECIPIENTS).join(', ');
    const more = recipientCount - Math.min(recipientCount, PREVIEWED_RECIPIENTS);
    return {
      _id: new Types.ObjectId(),
      user: account.user,
      device: device._id,
      acceptance: 'accepting',
      ...(texts.size === 1 && { message: text }),
      recipientCount,
      recipientPreview: more > 0 ? `${preview} and ${more} more` : preview,
      ...(order.messageTemplate !== undefined && { messageTemplate: order.messageTemplate }),
      groups: plan.groups,
      ...(plan.estimatedCompletionAt && { estimatedCompletionAt: plan.estimatedCompletionAt }),
      createdAt: now,
      updatedAt: now,
    };
  }

  private async storeMessages(batch: Batch, plan: SendPlan, requestedAt: Date): Promise<void> {
    let chunk: PlannedMessage[] = [];
    const store = async () => {
      // Set per chunk, so that the list, which is read in this order, gets its entries close to when they appear.
      const createdAt = this.clock.now();
      await this.messages.insert(chunk.map((planned) => newMessage(batch, planned, requestedAt, createdAt)));
      chunk = [];
    };
    for (const planned of plan.messages()) {
      chunk.push(planned);
      if (chunk.length === CHUNK) await store();
    }
    if (chunk.length > 0) await store();
  }
}

function newMessage(batch: Batch, planned: PlannedMessage, requestedAt: Date, createdAt: Date): Message {
  const { entry, recipient, wave, dueAt } = planned;
  return {
    _id: new Types.ObjectId(),
    user: batch.user,
    device: batch.device,
    direction: 'sent',
    status: 'pending',
    message: entry.message,
    recipient,
    smsBatch: batch._id,
    ...(entry.simSubscriptionId !== undefined && { simSubscriptionId: entry.simSubscriptionId }),
    requestedAt,
    ...(dueAt && { dispatchDueAt: dueAt }),
    wave,
    nextDispatchAt: dueAt ?? requestedAt,
    raised: [],
    outbox: [],
    createdAt,
    updatedAt: createdAt,
  };
}

/** A wake-up for each wave at its time; a group that is yet to be planned needs only the one that plans it. */
function firstWakeUps(batch: Batch): DueWave[] {
  return batch.groups.flatMap((group) => {
    const { startAt, gapMs, scheduledAt, firstWave } = group;
    if (startAt && gapMs !== undefined) {
      return Array.from({ length: group.waves }, (_, wave) => ({
        batch: batch._id,
        wave: firstWave + wave,
        dueAt: waveDueAt(startAt, gapMs, wave),
      }));
    }
    return [{ batch: batch._id, wave: firstWave, ...(scheduledAt && { dueAt: scheduledAt }) }];
  });
}
