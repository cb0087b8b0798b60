import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { WebhooksConfig } from '../config/webhooks.config';
import { PausingService } from './pausing.service';
import { type FailingSubscription, SubscriptionsRepository } from './subscriptions.repository';

const HOUR_MS = 3_600_000;
const PAUSED_AT_ONCE = 100;

/** Pauses subscriptions that keep failing: their endpoint is gone, and every further attempt is in vain. */
@Injectable()
export class AutoPauseService {
  constructor(
    private readonly subscriptions: SubscriptionsRepository,
    private readonly pausing: PausingService,
    private readonly config: WebhooksConfig,
    private readonly clock: Clock,
  ) {}

  /** Pauses those that have failed for as long and as often as the configuration says, and not succeeded since. */
  async pauseFailing(): Promise<void> {
    const now = this.clock.now();
    const since = new Date(now.getTime() - this.config.pauseAfterHours * HOUR_MS);
    for (;;) {
      const failing = await this.subscriptions.listFailing(
        since,
        this.config.pauseAfterFailures,
        PAUSED_AT_ONCE,
      );
      for (const subscription of failing)
        await this.pausing.pause(subscription._id, subscription, noteOn(subscription, now));
      if (failing.length < PAUSED_AT_ONCE) return;
    }
  }
}

function noteOn({ failingSince, failingAttempts }: FailingSubscription, now: Date): string {
  const hours = Math.floor((now.getTime() - failingSince.getTime()) / HOUR_MS);
  return (
    `Paused: all ${failingAttempts} attempts of the last ${hours} hours failed, ` +
    `the first at ${failingSince.toISOString()}. Mend the endpoint, then set isActive to true`
  );
}
