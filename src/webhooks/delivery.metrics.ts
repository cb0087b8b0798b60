import { Injectable } from '@nestjs/common';
import { Counter, Histogram, Registry } from 'prom-client';
import { METRIC_PREFIX } from '../common/metrics.module';
import type { Attempt } from './settlement';
import type { Tally } from './tally';

/** Seconds; an attempt takes at most 15. */
const DURATIONS = [0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];
/** Seconds; a sweeper is there within ten. */
const LAGS = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 1_800];

/** Measures the attempts on deliveries, and what they come to. */
@Injectable()
export class DeliveryMetrics {
  private readonly durations: Histogram<'outcome' | 'answer'>;
  private readonly lags: Histogram;
  private readonly deliveries: Counter<'status'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.durations = new Histogram({
      name: `${METRIC_PREFIX}webhook_attempt_duration_seconds`,
      help: 'Attempts on webhook deliveries; answer is the class of the endpoint’s status, none without one',
      labelNames: ['outcome', 'answer'],
      buckets: DURATIONS,
      registers,
    });
    this.lags = new Histogram({
      name: `${METRIC_PREFIX}webhook_delivery_lag_seconds`,
      help: 'How long after it was due an attempt on a webhook delivery began',
      buckets: LAGS,
      registers,
    });
    this.deliveries = new Counter({
      name: `${METRIC_PREFIX}webhook_deliveries_total`,
      help: 'Webhook deliveries that have ended',
      labelNames: ['status'],
      registers,
    });
  }

  observe({ delivery, at, durationMs, outcome }: Attempt): void {
    const { httpStatusCode } = outcome;
    const answer = httpStatusCode === undefined ? 'none' : `${Math.floor(httpStatusCode / 100)}xx`;
    this.durations.observe({ outcome: outcome.kind, answer }, durationMs / 1_000);
    const dueAt = delivery.nextDeliveryAttemptAt;
    if (dueAt) this.lags.observe(Math.max(0, at.getTime() - dueAt.getTime()) / 1_000);
  }

  countEnded({ delivered, failed }: Tally): void {
    this.deliveries.inc({ status: 'delivered' }, delivered);
    this.deliveries.inc({ status: 'failed' }, failed);
  }
}
