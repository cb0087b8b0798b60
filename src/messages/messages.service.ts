import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { byId, distinctIds } from '../common/documents';
import { DevicesRepository, DeviceSummary } from '../devices/store/devices.repository';
import { DeviceNotFound } from '../devices/store/devices.errors';
import { Batch } from './batch.schema';
import { BatchesRepository } from './batches.repository';
import type { Message } from './message.schema';
import { BatchNotFound, MessageNotFound } from './messages.errors';
import { MessagesRepository } from './messages.repository';
import { showsMessages } from './shown-devices';
import type { ShownMessage } from './shown-message';

/** A message with the device that sent or received it. */
export interface MessageView {
  readonly message: ShownMessage;
  readonly device: DeviceSummary;
}

/** A batch and all its messages, of all its devices, which are read while iterating. */
export interface BatchView {
  readonly batch: Batch;
  readonly messages: AsyncGenerator<MessageView & { readonly message: Message }>;
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

  /**
   * Reads a message of any device.
   * @throws MessageNotFound also for a message of a deleted device, unless `includesDeletedDevices` is set and it was not
   * deleted with its messages.
   */
  async getOfAccount(
    account: AccountScope,
    id: Types.ObjectId,
    shown: { readonly includesDeletedDevices?: boolean } = {},
  ): Promise<MessageView> {
    const message = await this.messages.find(account, id);
    const [device] = message ? await this.devices.findForMessages(account, [message.device]) : [];
    if (!message || !device || !showsMessages(device, shown)) throw new MessageNotFound();
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
    return { batch, messages: this.streamMessages(account, batch, device) };
  }

  /** @throws BatchNotFound if there are none, because a batch is removed with its last message. */
  private async *streamMessages(
    account: AccountScope,
    { _id }: Batch,
    device: DeviceSummary,
  ): BatchView['messages'] {
    const devices = byId([device]);
    let last: Message | undefined;
    for (;;) {
      const page = await this.messages.listByBatch(account, _id, last, PAGE_SIZE);
      const others = distinctIds(page.map((message) => message.device)).filter(
        (id) => !devices.has(String(id)),
      );
      const found = others.length > 0 ? await this.devices.findForMessages(account, others) : [];
      for (const other of found) devices.set(String(other._id), other);
      for (const message of page) {
        yield { message, device: devices.get(String(message.device)) ?? device };
      }
      last = page.at(-1) ?? last;
      if (!last) throw new BatchNotFound();
      if (page.length < PAGE_SIZE) return;
    }
  }
}
