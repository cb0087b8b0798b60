import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { type DeviceLabel, DevicesRepository } from '../devices/devices.repository';
import { DeliveryHistoryRepository, HistoryFilter } from './delivery-history.repository';
import { Delivery } from './delivery.schema';
import { SubscriptionsRepository } from './subscriptions.repository';
import { DeliveryNotFound, WebhookNotFound } from './webhooks.errors';

/** A page of the history, counted from 1. */
export interface HistoryQuery {
  readonly filter: HistoryFilter;
  readonly page: number;
  readonly limit: number;
}

/** A delivery with the device of its message; undefined when that is not on record. */
export interface DeliveryView {
  readonly delivery: Delivery;
  readonly device: DeviceLabel | undefined;
}

export interface HistoryPage {
  readonly deliveries: readonly DeliveryView[];
  readonly total: number;
}

/** What became of an account's events. */
@Injectable()
export class DeliveryHistoryService {
  constructor(
    private readonly history: DeliveryHistoryRepository,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly devices: DevicesRepository,
  ) {}

  /** @throws WebhookNotFound when the subscription asked for never was on the account. */
  async read(account: AccountScope, { filter, page, limit }: HistoryQuery): Promise<HistoryPage> {
    const { subscription } = filter;
    if (subscription && !(await this.subscriptions.findEver(account, subscription))) {
      throw new WebhookNotFound();
    }
    const [deliveries, total] = await Promise.all([
      this.history.list(account, filter, { skip: (page - 1) * limit, limit }),
      this.history.count(account, filter),
    ]);
    return { deliveries: await this.withDevices(account, deliveries), total };
  }

  /** A delivery as its owner reads it. @throws DeliveryNotFound */
  async view(account: AccountScope, id: Types.ObjectId): Promise<DeliveryView> {
    return this.withDevice(account, await this.get(account, id));
  }

  async withDevice(account: AccountScope, delivery: Delivery): Promise<DeliveryView> {
    const [view] = await this.withDevices(account, [delivery]);
    return view ?? { delivery, device: undefined };
  }

  private async withDevices(account: AccountScope, deliveries: readonly Delivery[]): Promise<DeliveryView[]> {
    const ids = new Map(deliveries.map(({ device }) => [String(device), device]));
    const labels = ids.size > 0 ? await this.devices.findLabels(account, [...ids.values()]) : [];
    const byId = new Map(labels.map((label) => [String(label._id), label]));
    return deliveries.map((delivery) => ({ delivery, device: byId.get(String(delivery.device)) }));
  }

  /** @throws DeliveryNotFound */
  async get(account: AccountScope, id: Types.ObjectId): Promise<Delivery> {
    const delivery = await this.history.find(account, id);
    if (!delivery) throw new DeliveryNotFound();
    return delivery;
  }
}
