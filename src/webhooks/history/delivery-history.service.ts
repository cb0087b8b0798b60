import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../../auth/account-scope';
import { byId, distinctIds } from '../../common/documents';
import { areAllLoaded, expandLargeDocuments } from '../../infrastructure/mongo/large-documents';
import { type DeviceLabel, DevicesRepository } from '../../devices/store/devices.repository';
import {
  DeliveryHistoryRepository,
  type DeliverySummary,
  HistoryFilter,
  type ListedDelivery,
} from './delivery-history.repository';
import { Delivery } from '../deliveries/delivery.schema';
import {
  type SubscriptionLabel,
  WebhookSubscriptionsRepository,
} from '../subscriptions/webhook-subscriptions.repository';
import { DeliveryNotFound, WebhookNotFound } from '../webhooks.errors';

/** `page` counts from 1. */
export interface HistoryQuery {
  readonly filter: HistoryFilter;
  readonly page: number;
  readonly limit: number;
}

/** `device` is undefined when it is not found. */
export interface DeliveryWithDevice {
  readonly delivery: Delivery;
  readonly device: DeviceLabel | undefined;
}

export interface HistoryPage {
  /** An array, unless some deliveries are large: these are read while iterating. */
  readonly items: readonly DeliveryWithDevice[] | AsyncIterable<DeliveryWithDevice>;
  readonly total: number;
}

/** What the webhooks of an account were told of a message. */
export interface DeliveriesOfMessage {
  /** The latest subscriptions of the account, deleted ones included. */
  readonly subscriptions: readonly SubscriptionLabel[];
  readonly deliveries: readonly DeliverySummary[];
  /** Deliveries that are not listed. */
  readonly moreCount: number;
}

const MAX_MESSAGE_DELIVERIES = 100;
const MAX_MESSAGE_SUBSCRIPTIONS = 1_000;

@Injectable()
export class DeliveryHistoryService {
  constructor(
    private readonly history: DeliveryHistoryRepository,
    private readonly subscriptions: WebhookSubscriptionsRepository,
    private readonly devices: DevicesRepository,
  ) {}

  /**
   * Opens a page of the history. Large deliveries are loaded while iterating, so that memory use stays bounded.
   * @throws WebhookNotFound when the account never had the subscription to filter by.
   */
  async openPage(account: AccountScope, { filter, page, limit }: HistoryQuery): Promise<HistoryPage> {
    const { subscription } = filter;
    if (subscription && !(await this.subscriptions.findIncludingDeleted(account, subscription))) {
      throw new WebhookNotFound();
    }
    const [listed, total] = await Promise.all([
      this.history.list(account, filter, { skip: (page - 1) * limit, limit }),
      this.history.count(account, filter),
    ]);
    const labels = await this.labelsOf(account, listed);
    const items = areAllLoaded(listed)
      ? listed.map((delivery) => withLabel(delivery, labels))
      : this.iteratePage(account, listed, labels);
    return { items, total };
  }

  /** Lists up to 100 deliveries of a message, in no particular order. */
  async listOfMessage(account: AccountScope, message: Types.ObjectId): Promise<DeliveriesOfMessage> {
    const subscriptions = await this.subscriptions.listLabels(account, MAX_MESSAGE_SUBSCRIPTIONS);
    const ids = subscriptions.map(({ _id }) => _id);
    if (ids.length === 0) return { subscriptions, deliveries: [], moreCount: 0 };
    const found = await this.history.listOfMessage(account, ids, message, MAX_MESSAGE_DELIVERIES + 1);
    const deliveries = found.slice(0, MAX_MESSAGE_DELIVERIES);
    const hasMore = found.length > deliveries.length;
    const count = hasMore ? await this.history.countOfMessage(account, ids, message) : deliveries.length;
    return { subscriptions, deliveries, moreCount: count - deliveries.length };
  }

  /** @throws DeliveryNotFound */
  async getWithDevice(account: AccountScope, id: Types.ObjectId): Promise<DeliveryWithDevice> {
    return this.addDevice(account, await this.get(account, id));
  }

  async addDevice(account: AccountScope, delivery: Delivery): Promise<DeliveryWithDevice> {
    return withLabel(delivery, await this.labelsOf(account, [delivery]));
  }

  private async *iteratePage(
    account: AccountScope,
    listed: readonly ListedDelivery[],
    labels: ReadonlyMap<string, DeviceLabel>,
  ): AsyncGenerator<DeliveryWithDevice> {
    for await (const delivery of expandLargeDocuments(listed, (ids) => this.history.readLarge(account, ids)))
      yield withLabel(delivery, labels);
  }

  private async labelsOf(
    account: AccountScope,
    deliveries: readonly Pick<Delivery, 'device'>[],
  ): Promise<Map<string, DeviceLabel>> {
    const ids = distinctIds(deliveries.flatMap(({ device }) => device ?? []));
    return byId(ids.length > 0 ? await this.devices.findLabels(account, ids) : []);
  }

  /** @throws DeliveryNotFound */
  async get(account: AccountScope, id: Types.ObjectId): Promise<Delivery> {
    const delivery = await this.history.find(account, id);
    if (!delivery) throw new DeliveryNotFound();
    return delivery;
  }
}

const withLabel = (delivery: Delivery, labels: ReadonlyMap<string, DeviceLabel>): DeliveryWithDevice => ({
  delivery,
  device: labels.get(String(delivery.device)),
});
