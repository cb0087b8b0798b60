import { Injectable } from '@nestjs/common';
import { Counter, Histogram, Registry } from 'prom-client';
import { METRIC_PREFIX } from '../../infrastructure/metrics/metrics.module';
import type { Attempt } from './delivery-update';
import type { AttemptSummary } from './attempt-summary';

/** In seconds; an attempt takes at most 30. */
const DURATION_BUCKETS = [0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30];
/** In seconds; the scheduler finds overdue deliveries within 10. */
const LAG_BUCKETS = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 1_800];

@Injectable()
export class DeliveryMetrics {
  private readonly durations: Histogram<'outcome' | 'answer'>;
  private readonly lags: Histogram;
  private readonly deliveries: Counter<'status'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.durations = new Histogram({
      name: `${METRIC_PREFIX}webhook_attempt_duration_seconds`,
      help: 'Duration of attempts on webhook deliveries; answer is the class of the response status, or none',
      labelNames: ['outcome', 'answer'],
      buckets: DURATION_BUCKETS,
      registers,
    });
    this.lags = new Histogram({
      name: `${METRIC_PREFIX}webhook_delivery_lag_seconds`,
      help: 'Time between when an attempt on a webhook delivery was due and when it began',
      buckets: LAG_BUCKETS,
      registers,
    });
    this.deliveries = new Counter({
      name: `${METRIC_PREFIX}webhook_deliveries_total`,
      help: 'Webhook deliveries that became delivered or failed',
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

  countFinished({ delivered, failed }: Pick<AttemptSummary, 'delivered' | 'failed'>): void {
    this.deliveries.inc({ status: 'delivered' }, delivered);
    this.deliveries.inc({ status: 'failed' }, failed);
  }
}
