import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { AccountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { Page } from '../../common/http/responses/envelope.interceptor';
import { areAllLoaded, expandLargeDocuments } from '../../infrastructure/mongo/large-documents';
import { DeviceNotFound } from '../../devices/store/devices.errors';
import { DevicesRepository, DeviceSummary } from '../../devices/store/devices.repository';
import { AccountCountries } from '../../devices/account-countries.service';
import { pageOf } from './message-cursor';
import { BatchNotOnAccount } from './message-list.errors';
import { ListedMessage, MessageListRepository } from './message-list.repository';
import type { ListStart, MessageFilter, MessageQuery } from './message-query';
import { endingBefore, ListCountService } from './list-count.service';
import { listHorizon } from '../list-horizon';
import type { MessageView } from '../messages.service';
import type { ShownMessage } from '../shown-message';
import { byId, idsOf } from '../../common/documents';
import { showsMessages } from '../shown-devices';

const READ_ALL_PAGE_SIZE = 200;

/** `page`, `total` and `totalPages` are absent when the list is read by cursor. */
export interface MessageListMeta {
  readonly page?: number;
  readonly limit: number;
  readonly total?: number;
  readonly totalPages?: number;
  readonly nextCursor: string | null;
  readonly hasMore: boolean;
}

export interface MessagePage {
  /** An array, unless some messages are large: these are read while iterating. */
  readonly items: readonly MessageView[] | AsyncIterable<MessageView>;
  readonly meta: MessageListMeta;
}

/** Lists the messages of all devices of an account. */
@Injectable()
export class MessageListService {
  constructor(
    private readonly messages: MessageListRepository,
    private readonly counts: ListCountService,
    private readonly devices: DevicesRepository,
    private readonly countries: AccountCountries,
    private readonly clock: Clock,
  ) {}

  /** Reads a page into memory. @throws DeviceNotFound, BatchNotOnAccount, SearchTooSlow */
  async read(account: AccountScope, query: MessageQuery): Promise<Page<MessageView, MessageListMeta>> {
    const { items, meta } = await this.stream(account, query);
    const views: MessageView[] = [];
    for await (const view of items) views.push(view);
    return new Page(views, meta);
  }

  /**
   * Reads a page whose large messages are loaded while iterating, so that they are not all in memory. In ascending order and
   * without a batch, the list ends `LIST_HORIZON_MS` before now.
   * @throws DeviceNotFound, BatchNotOnAccount, SearchTooSlow
   */
  async stream(account: AccountScope, query: MessageQuery): Promise<MessagePage> {
    const { limit, order, start } = query;
    const horizon = listHorizon(this.clock.now());
    const { filter, devices } = await this.resolve(account, query.filter);
    const end = order === 'asc' && !filter.smsBatch ? horizon : undefined;
    const place = { start, order, pageSize: limit };
    const found = await this.messages.list(account, endingBefore(filter, end), place, limit + 1);
    const total =
      'page' in start ? await this.totalOf(account, filter, end, query, start.page, found) : undefined;
    const { items: messages, ...next } = pageOf(found, limit, ({ createdAt }) => createdAt, order);
    const meta = {
      ...('page' in start && { page: start.page }),
      limit,
      ...(total !== undefined && { total, totalPages: Math.ceil(total / limit) }),
      ...next,
    };
    const known = await this.devicesOf(account, messages, devices);
    const listed = messages.filter(({ device }) => known.has(device.toHexString()));
    const items = areAllLoaded(listed) ? viewsOf(listed, known) : this.readViews(account, listed, known);
    return { items, meta };
  }

  /**
   * Reads a list of any length while iterating, with the memory of one page.
   * @throws DeviceNotFound, BatchNotOnAccount, SearchTooSlow, while iterating.
   */
  async *readAll(
    account: AccountScope,
    query: Pick<MessageQuery, 'filter' | 'order'>,
  ): AsyncGenerator<MessageView> {
    const { filter, devices } = await this.resolve(account, query.filter);
    const place = { order: query.order, pageSize: READ_ALL_PAGE_SIZE };
    for (let start: ListStart = { page: 1 }; ;) {
      const messages = await this.messages.list(account, filter, { ...place, start }, place.pageSize);
      yield* this.readViews(account, messages, await this.devicesOf(account, messages, devices));
      const last = messages.at(-1);
      if (!last || messages.length < place.pageSize) return;
      start = { after: { createdAt: last.createdAt, id: last._id } };
    }
  }

  /**
   * The total of a list, without counting if this page is the last.
   * @param end where the list ends before `filter.to`.
   * @param found the messages of the page, and one more if it is not the last.
   */
  private totalOf(
    account: AccountScope,
    filter: MessageFilter,
    end: Date | undefined,
    { limit, order }: Pick<MessageQuery, 'limit' | 'order'>,
    page: number,
    found: readonly ListedMessage[],
  ): number | Promise<number> {
    const isLast = found.length <= limit && (found.length > 0 || page === 1);
    if (isLast) return (page - 1) * limit + found.length;
    return this.counts.count(account, filter, { end, newest: page === 1 && order === 'desc' ? found : [] });
  }

  /** The filter as the database reads it, and the devices it leads to. @throws DeviceNotFound, BatchNotOnAccount */
  private async resolve(
    account: AccountScope,
    filter: MessageFilter,
  ): Promise<{ readonly filter: MessageFilter; readonly devices: readonly DeviceSummary[] }> {
    const { recipient, sender, peerNumber, search } = filter;
    const [devices, countries] = await Promise.all([
      this.devices.findForMessages(account, filter.devices),
      this.countries.listFor(account, [recipient, sender, peerNumber, search]),
      this.requireBatch(account, filter.smsBatch),
    ]);
    return { filter: onDevices({ ...filter, ...(countries.length > 0 && { countries }) }, devices), devices };
  }

  private async *readViews(
    account: AccountScope,
    listed: readonly ListedMessage[],
    devices: ReadonlyMap<string, DeviceSummary>,
  ): AsyncGenerator<MessageView> {
    for await (const message of expandLargeDocuments(listed, (ids) => this.messages.readLarge(account, ids)))
      yield* viewsOf([message], devices);
  }

  private async requireBatch(account: AccountScope, id: Types.ObjectId | undefined): Promise<void> {
    if (id && !(await this.messages.hasBatch(account, id))) throw new BatchNotOnAccount();
  }

  private async devicesOf(
    account: AccountScope,
    messages: readonly ListedMessage[],
    devices: readonly DeviceSummary[],
  ): Promise<Map<string, DeviceSummary>> {
    const known = byId(devices);
    const missing = messages.map(({ device }) => device).filter((id) => !known.has(id.toHexString()));
    if (missing.length === 0) return known;
    // A phone may have been paired, and have uploaded messages, after the devices were read.
    return new Map([...known, ...byId(await this.devices.findForMessages(account, missing))]);
  }
}

/**
 * Excludes the messages of devices that are not shown.
 * @throws DeviceNotFound if a device in the filter is unknown or not shown.
 */
function onDevices(filter: MessageFilter, devices: readonly DeviceSummary[]): MessageFilter {
  const shown = idsOf(devices.filter((device) => showsMessages(device, filter)));
  if (filter.devices && shown.length < filter.devices.length) throw new DeviceNotFound();
  // Without a condition on the device the count is covered by the index, twice as fast.
  return filter.devices || shown.length < devices.length ? { ...filter, devices: shown } : filter;
}

/** The messages of known devices. */
function viewsOf(
  messages: readonly ShownMessage[],
  devices: ReadonlyMap<string, DeviceSummary>,
): MessageView[] {
  return messages.flatMap((message) => {
    const device = devices.get(message.device.toHexString());
    return device ? { message, device } : [];
  });
}
