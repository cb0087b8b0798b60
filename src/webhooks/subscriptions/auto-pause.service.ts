import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { WebhooksConfig } from '../../config/sections/webhooks.config';
import { SubscriptionPauseService } from './subscription-pause.service';
import { type FailingSubscription, WebhookSubscriptionsRepository } from './webhook-subscriptions.repository';
import { HOUR_MS } from '../../common/durations';

const BATCH_SIZE = 100;

@Injectable()
export class AutoPauseService {
  constructor(
    private readonly subscriptions: WebhookSubscriptionsRepository,
    private readonly pausing: SubscriptionPauseService,
    private readonly config: WebhooksConfig,
    private readonly clock: Clock,
  ) {}

  /**
   * Pauses subscriptions with at least `pauseAfterFailures` failed attempts over at least `pauseAfterHours`, and no
   * success since.
   */
  async pauseFailing(): Promise<void> {
    const now = this.clock.now();
    const since = new Date(now.getTime() - this.config.pauseAfterHours * HOUR_MS);
    for (;;) {
      const failing = await this.subscriptions.listFailing(since, this.config.pauseAfterFailures, BATCH_SIZE);
      for (const subscription of failing)
        await this.pausing.pause(subscription._id, subscription, pauseNote(subscription, now));
      if (failing.length < BATCH_SIZE) return;
    }
  }
}

function pauseNote({ failingSince, failingAttempts }: FailingSubscription, now: Date): string {
  const hours = Math.floor((now.getTime() - failingSince.getTime()) / HOUR_MS);
  return (
    `Paused: all ${failingAttempts} attempts of the last ${hours} hours failed, ` +
    `the first at ${failingSince.toISOString()}. Fix the endpoint, then set isActive to true`
  );
}
