import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { Page } from '../common/http/envelope.interceptor';
import { DeviceNotFound } from '../devices/devices.errors';
import { DevicesRepository, DeviceSummary } from '../devices/devices.repository';
import { writeCursor } from './message-cursor';
import { BatchNotOnAccount } from './message-list.errors';
import { ListedMessage, MessageListRepository } from './message-list.repository';
import type { MessageFilter, MessageQuery } from './message-query';
import { MessageTotals } from './message-totals.service';
import type { MessageView } from './messages.service';

/** Spec, message list: `page`, `total` and `totalPages` in page mode only. */
export interface MessageListMeta {
  readonly page?: number;
  readonly limit: number;
  readonly total?: number;
  readonly totalPages?: number;
  readonly nextCursor: string | null;
  readonly hasMore: boolean;
}

/** Messages of a page that are in memory at a time, where they are large. */
const READ_SIZE = 16;

interface ListedView {
  readonly message: ListedMessage;
  readonly device: DeviceSummary;
}

/** A page as it is written. */
export interface OpenPage {
  /** Whether it holds messages that are read only when they are asked for. */
  readonly isLarge: boolean;
  readonly items: AsyncIterable<MessageView>;
  readonly meta: MessageListMeta;
}

/** The message list across an account's devices. */
@Injectable()
export class MessageListService {
  constructor(
    private readonly messages: MessageListRepository,
    private readonly totals: MessageTotals,
    private readonly devices: DevicesRepository,
  ) {}

  /** A page, all of it at once. @throws DeviceNotFound, BatchNotOnAccount, SearchTooSlow */
  async read(account: AccountScope, query: MessageQuery): Promise<Page<MessageView, MessageListMeta>> {
    const { items, meta } = await this.open(account, query);
    const views: MessageView[] = [];
    for await (const view of items) views.push(view);
    return new Page(views, meta);
  }

  /**
   * A page whose large messages are read as they are asked for, so that it need not be held whole.
   * @throws DeviceNotFound, BatchNotOnAccount, SearchTooSlow
   */
  async open(account: AccountScope, query: MessageQuery): Promise<OpenPage> {
    const { limit, order, start } = query;
    const [devices] = await Promise.all([
      this.devices.findForMessages(account, query.filter.devices),
      this.requireBatch(account, query.filter.smsBatch),
    ]);
    const filter = onDevices(query.filter, devices);
    const [found, total] = await Promise.all([
      this.messages.list(account, filter, { start, order, pageSize: limit }, limit + 1),
      'page' in start ? this.totals.count(account, filter) : undefined,
    ]);
    const messages = found.slice(0, limit);
    const last = messages.at(-1);
    const hasMore = found.length > limit;
    const meta = {
      ...('page' in start && { page: start.page }),
      limit,
      ...(total !== undefined && { total, totalPages: Math.ceil(total / limit) }),
      nextCursor: hasMore && last ? writeCursor({ createdAt: last.createdAt, id: last._id, order }) : null,
      hasMore,
    };
    const views = await this.withDevices(account, messages, devices);
    const isLarge = messages.some((message) => 'isLarge' in message);
    return { isLarge, items: this.readViews(account, views), meta };
  }

  /** Reads what is large, few at a time; one that was removed meanwhile is left out. */
  private async *readViews(account: AccountScope, views: readonly ListedView[]): AsyncGenerator<MessageView> {
    for (let at = 0; at < views.length; at += READ_SIZE) {
      const some = views.slice(at, at + READ_SIZE);
      const ids = some.flatMap(({ message }) => ('isLarge' in message ? [message._id] : []));
      const large = ids.length > 0 ? await this.messages.readLarge(account, ids) : [];
      for (const { message: listed, device } of some) {
        const message = 'isLarge' in listed ? large.find(({ _id }) => _id.equals(listed._id)) : listed;
        if (message) yield { message, device };
      }
    }
  }

  private async requireBatch(account: AccountScope, id: Types.ObjectId | undefined): Promise<void> {
    if (id && !(await this.messages.hasBatch(account, id))) throw new BatchNotOnAccount();
  }

  private async withDevices(
    account: AccountScope,
    messages: readonly ListedMessage[],
    devices: readonly DeviceSummary[],
  ): Promise<ListedView[]> {
    const known = byId(devices);
    const missing = messages.map(({ device }) => device).filter((id) => !known.has(id.toHexString()));
    // A phone may be paired between the two reads and have uploaded already.
    const late = missing.length > 0 ? byId(await this.devices.findForMessages(account, missing)) : known;
    return messages.flatMap((message) => {
      const id = message.device.toHexString();
      const device = known.get(id) ?? late.get(id);
      return device ? [{ message, device }] : [];
    });
  }
}

/**
 * Leaves out the messages of deleted devices.
 * @throws DeviceNotFound when a device asked for is not among these, or deleted.
 */
function onDevices(filter: MessageFilter, devices: readonly DeviceSummary[]): MessageFilter {
  const alive = devices.filter((device) => !device.deletedAt).map((device) => device._id);
  if (filter.devices && alive.length < filter.devices.length) throw new DeviceNotFound();
  // Without a condition on the device the count is read off the index alone, twice as fast.
  return filter.devices || alive.length < devices.length ? { ...filter, devices: alive } : filter;
}

function byId(devices: readonly DeviceSummary[]): Map<string, DeviceSummary> {
  return new Map(devices.map((device) => [device._id.toHexString(), device]));
}
