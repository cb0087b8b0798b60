import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { DeliveryRunner } from './delivery-runner';

/** The delivery runners of this process, by subscription, in the order of their start. */
@Injectable()
export class LocalRunners {
  private readonly runners = new Map<string, DeliveryRunner>();

  get(subscription: Types.ObjectId): DeliveryRunner | undefined {
    return this.runners.get(subscription.toHexString());
  }

  list(): DeliveryRunner[] {
    return [...this.runners.values()];
  }

  add(runner: DeliveryRunner): void {
    this.runners.set(runner.subscription.toHexString(), runner);
  }

  /** Has no effect if another runner of the subscription was added meanwhile. */
  remove(runner: DeliveryRunner): void {
    const key = runner.subscription.toHexString();
    if (this.runners.get(key) === runner) this.runners.delete(key);
  }
}
