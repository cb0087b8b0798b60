import { Injectable } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';
import { METRIC_PREFIX } from '../infrastructure/metrics/metrics.module';
import { Clock } from '../common/clock';
import { tryWithTimeout } from '../common/try-with-timeout';
import { breakerState } from '../devices/sims/health/breaker';
import { SimHealthRepository } from '../devices/sims/sim-health.repository';
import { WAIT_REASONS } from '../devices/states/wait-reasons';
import { WaitingMessagesRepository } from '../gateway/routing/waiting-messages.repository';
import { QueueStatsService } from './queue-stats.service';
import { MemoizedValue } from '../common/memoized-value';
import { MAX_COUNTED, DatabaseStatsService } from './database-stats.service';

const CACHE_TTL_MS = 10_000;

type GaugeValue = [value: number, ...labels: string[]];

/**
 * Gauges of state that all processes share, in the database and in Redis: read only by processes with the scheduler role, when
 * they are scraped. A gauge that cannot be read is omitted.
 */
@Injectable()
export class SharedGauges {
  constructor(
    private readonly registry: Registry,
    database: DatabaseStatsService,
    queues: QueueStatsService,
    health: SimHealthRepository,
    waiting: WaitingMessagesRepository,
    clock: Clock,
  ) {
    const stored = new MemoizedValue(CACHE_TTL_MS, () => database.read());
    const queued = new MemoizedValue(CACHE_TTL_MS, () => queues.read());
    const waitingByReason = new MemoizedValue(CACHE_TTL_MS, () =>
      tryWithTimeout(waiting.countByReason(MAX_COUNTED)),
    );
    const breakers = new MemoizedValue(CACHE_TTL_MS, () =>
      tryWithTimeout(health.listOpenBreakers(MAX_COUNTED)),
    );
    const upTo = `; counted up to ${MAX_COUNTED}`;
    this.gauge('messages_open', `Messages that are not settled, by state${upTo}`, ['status'], async () =>
      byLabel((await stored.read())?.messages),
    );
    this.gauge(
      'messages_waiting',
      `Messages that wait, by reason; up to ${MAX_COUNTED} are counted in all`,
      ['reason'],
      async () => {
        const counts = await waitingByReason.read();
        return counts ? WAIT_REASONS.map((reason) => [counts[reason] ?? 0, reason]) : [];
      },
    );
    this.gauge('devices', `Enabled devices, by when they were last seen${upTo}`, ['heard'], async () =>
      byLabel((await stored.read())?.devices),
    );
    this.gauge(
      'device_connections',
      `Enabled devices, by the state of their connection${upTo}`,
      ['state'],
      async () => byLabel((await stored.read())?.connections),
    );
    this.gauge(
      'events_set_aside',
      `Messages, devices and SIMs whose events cannot be relayed; retried each hour and by admin events retry${upTo}`,
      [],
      async () => [[(await stored.read())?.setAsideEvents ?? 0]],
    );
    this.gauge(
      'sims_unhealthy',
      `SIMs whose breaker is not closed, by its state${upTo}`,
      ['state'],
      async () => {
        const states = (await breakers.read())?.map((breaker) => breakerState(breaker, clock.now()));
        return (['open', 'half-open'] as const).flatMap((state) =>
          states ? [[states.filter((each) => each === state).length, state]] : [],
        );
      },
    );
    this.gauge('overdue_seconds', 'Age of the oldest overdue work', ['work'], async () =>
      byLabel((await stored.read())?.overdueMs).map(([ms, ...work]) => [ms / 1_000, ...work]),
    );
    this.gauge('queue_oldest_seconds', 'Wait of the oldest job in the queue', ['queue'], async () =>
      ((await queued.read()) ?? []).map(({ queue, oldestMs }) => [oldestMs / 1_000, queue]),
    );
    this.gauge('queue_jobs', 'Jobs in the queues, by state', ['queue', 'state'], async () =>
      ((await queued.read()) ?? []).flatMap(({ queue, jobs }) =>
        byLabel(jobs).map(([count, ...state]): GaugeValue => [count, queue, ...state]),
      ),
    );
  }

  private gauge(
    name: string,
    help: string,
    labelNames: readonly string[],
    read: () => Promise<GaugeValue[]>,
  ): void {
    const gauge = new Gauge({
      name: `${METRIC_PREFIX}${name}`,
      help,
      labelNames,
      registers: [this.registry],
      async collect() {
        const values = await read();
        this.reset();
        for (const [value, ...labels] of values) gauge.labels(...labels).set(value);
      },
    });
  }
}

const byLabel = (counts: Readonly<Record<string, number>> = {}) =>
  Object.entries(counts).map(([label, count]): GaugeValue => [count, label]);
