import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { Clock } from '../common/clock';
import { Gathering } from '../common/gathering';
import { causingRequest } from '../common/log-ids';
import { DevicesRepository, DeviceSummary } from '../devices/devices.repository';
import { DeviceNotFound } from '../devices/devices.errors';
import { Batch } from './batch.schema';
import { BatchesRepository } from './batches.repository';
import { MessageMetrics } from './message.metrics';
import { Message } from './message.schema';
import { BatchNotFound, MessageNotFound } from './messages.errors';
import { MessagesRepository } from './messages.repository';
import { OutboxQueue } from './outbox.queue';
import { AppliedReport, AskedReport, ReportsRepository } from './reports.repository';
import { readReport, StatusReport } from './status-report';

/** A message with the device that sent or received it. */
export interface MessageView {
  readonly message: Message;
  readonly device: DeviceSummary;
}

/** A batch, its device, and its messages as they are asked for. */
export interface BatchView {
  readonly batch: Batch;
  readonly device: DeviceSummary;
  readonly messages: AsyncGenerator<Message>;
}

/** Messages of a batch that are in memory at a time. */
const READ_SIZE = 100;

@Injectable()
export class MessagesService {
  private readonly reported = new Gathering<AskedReport, AppliedReport | undefined>((asked) =>
    this.applyReports(asked),
  );

  constructor(
    private readonly messages: MessagesRepository,
    private readonly reports: ReportsRepository,
    private readonly batches: BatchesRepository,
    private readonly devices: DevicesRepository,
    private readonly outbox: OutboxQueue,
    private readonly metrics: MessageMetrics,
    private readonly clock: Clock,
  ) {}

  /** @throws DeviceNotFound, MessageNotFound */
  async get(account: AccountScope, deviceId: Types.ObjectId, id: Types.ObjectId): Promise<MessageView> {
    const [device, message] = await Promise.all([
      this.devices.find(account, deviceId),
      this.messages.find(account, deviceId, id),
    ]);
    if (!device) throw new DeviceNotFound();
    if (!message) throw new MessageNotFound();
    return { message, device };
  }

  /** @throws DeviceNotFound, BatchNotFound, also when its messages are asked for. */
  async getBatch(account: AccountScope, deviceId: Types.ObjectId, id: Types.ObjectId): Promise<BatchView> {
    const [device, batch] = await Promise.all([
      this.devices.find(account, deviceId),
      this.batches.find(account, deviceId, id),
    ]);
    if (!device) throw new DeviceNotFound();
    if (!batch) throw new BatchNotFound();
    return { batch, device, messages: this.streamMessages(account, batch) };
  }

  /** @throws BatchNotFound when there are none: a batch goes with its last message. */
  private async *streamMessages(account: AccountScope, { _id, removed }: Batch): AsyncGenerator<Message> {
    let last: Message | undefined;
    for (;;) {
      const page = await this.messages.listOfBatch(account, _id, last, READ_SIZE);
      for (const message of page) {
        const { removal } = message;
        if (!removal || !removed?.chunk.equals(removal)) yield message;
      }
      last = page.at(-1) ?? last;
      if (!last) throw new BatchNotFound();
      if (page.length < READ_SIZE) return;
    }
  }

  /**
   * Takes in a phone's report on a message it was given; safe to repeat, in any order.
   * @throws MessageNotFound when the message is not this device's.
   */
  async report(
    account: AccountScope,
    device: Types.ObjectId,
    id: Types.ObjectId,
    report: StatusReport,
  ): Promise<void> {
    const now = this.clock.now();
    const read = readReport(report, now);
    const { user } = account;
    const applied = await this.reported.ask({ user, device, id, report: read, now, cause: causingRequest() });
    if (!applied) throw new MessageNotFound();
    this.outbox.wake();
    if (applied.hasMoved) this.metrics.count(read.to);
  }

  /** The device's count goes with them: messages that reached `sent` or `delivered`, each once. */
  private async applyReports(asked: readonly AskedReport[]): Promise<(AppliedReport | undefined)[]> {
    const applied = await this.reports.apply(asked);
    const counted = asked.filter((_, index) => applied[index]?.isNewlyCounted);
    await Promise.all(
      counted.map(({ user, device }) => this.devices.count({ user }, device, 'sentSMSCount', 1)),
    );
    return applied;
  }
}
