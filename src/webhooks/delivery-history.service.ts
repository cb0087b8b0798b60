import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
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

export interface HistoryPage {
  readonly deliveries: readonly Delivery[];
  readonly total: number;
}

/** What became of an account's events. */
@Injectable()
export class DeliveryHistoryService {
  constructor(
    private readonly history: DeliveryHistoryRepository,
    private readonly subscriptions: SubscriptionsRepository,
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
    return { deliveries, total };
  }

  /** @throws DeliveryNotFound */
  async get(account: AccountScope, id: Types.ObjectId): Promise<Delivery> {
    const delivery = await this.history.find(account, id);
    if (!delivery) throw new DeliveryNotFound();
    return delivery;
  }
}
