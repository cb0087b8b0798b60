import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { DevicesRepository, DeviceSummary } from '../devices/devices.repository';
import { DeviceNotFound } from '../devices/devices.errors';
import { Batch } from './batch.schema';
import { BatchesRepository } from './batches.repository';
import type { ShownMessage } from './lists/message-list.repository';
import { Message } from './message.schema';
import { BatchNotFound, MessageNotFound } from './messages.errors';
import { MessagesRepository } from './messages.repository';

/** A message with the device that sent or received it. */
export interface MessageView {
  readonly message: ShownMessage;
  readonly device: DeviceSummary;
}

/** A batch, its device, and its messages, which are read while iterating. */
export interface BatchView {
  readonly batch: Batch;
  readonly device: DeviceSummary;
  readonly messages: AsyncGenerator<Message>;
}

const PAGE_SIZE = 40;

@Injectable()
export class MessagesService {
  constructor(
    private readonly messages: MessagesRepository,
    private readonly batches: BatchesRepository,
    private readonly devices: DevicesRepository,
  ) {}

  /** @throws DeviceNotFound, MessageNotFound */
  async get(account: AccountScope, deviceId: Types.ObjectId, id: Types.ObjectId): Promise<MessageView> {
    const [device, message] = await Promise.all([
      this.devices.find(account, deviceId),
      this.messages.find(account, id, deviceId),
    ]);
    if (!device) throw new DeviceNotFound();
    if (!message) throw new MessageNotFound();
    return { message, device };
  }

  /** Reads a message of any device. @throws MessageNotFound also for a message of a deleted device. */
  async getOfAccount(account: AccountScope, id: Types.ObjectId): Promise<MessageView> {
    const message = await this.messages.find(account, id);
    const device = message && (await this.devices.find(account, message.device));
    if (!device) throw new MessageNotFound();
    return { message, device };
  }

  /** @throws DeviceNotFound, BatchNotFound; iterating over the messages can throw BatchNotFound too. */
  async getBatch(account: AccountScope, deviceId: Types.ObjectId, id: Types.ObjectId): Promise<BatchView> {
    const [device, batch] = await Promise.all([
      this.devices.find(account, deviceId),
      this.batches.find(account, deviceId, id),
    ]);
    if (!device) throw new DeviceNotFound();
    if (!batch) throw new BatchNotFound();
    return { batch, device, messages: this.streamMessages(account, batch) };
  }

  /** @throws BatchNotFound if there are none, because a batch is removed with its last message. */
  private async *streamMessages(account: AccountScope, { _id, removed }: Batch): AsyncGenerator<Message> {
    let last: Message | undefined;
    for (;;) {
      const page = await this.messages.listByBatch(account, _id, last, PAGE_SIZE);
      for (const message of page) {
        const { removal } = message;
        if (!removal || !removed?.chunk.equals(removal)) yield message;
      }
      last = page.at(-1) ?? last;
      if (!last) throw new BatchNotFound();
      if (page.length < PAGE_SIZE) return;
    }
  }
}
