import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { Delivery } from '../../webhooks/deliveries/delivery.schema';

const BATCH_SIZE = 1_000;

/** Removes old webhook deliveries. */
@Injectable()
export class DeliveryRetentionRepository {
  constructor(@InjectModel(Delivery.name) private readonly deliveries: Model<Delivery>) {}

  /**
   * Removes up to 1,000 deliveries without a scheduled attempt.
   * @param countedBefore a time of the database: later changes may not be part of the counters.
   * @returns how many were found.
   */
  async remove({ user }: AccountScope, createdBefore: Date, countedBefore: Date): Promise<number> {
    const condition = {
      user,
      createdAt: { $lt: createdBefore },
      nextDeliveryAttemptAt: { $exists: false },
      countedAt: { $not: { $gte: countedBefore } },
    };
    const found = await this.deliveries.find(condition, { _id: 1 }).limit(BATCH_SIZE).lean();
    const _id = { $in: found.map((delivery) => delivery._id) };
    if (found.length > 0) await this.deliveries.deleteMany({ ...condition, _id });
    return found.length;
  }
}
