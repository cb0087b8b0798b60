import { Injectable } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';
import { METRIC_PREFIX } from '../infrastructure/metrics/metrics.module';
import { Clock } from '../common/clock';
import { tryWithTimeout } from '../common/try-with-timeout';
import { breakerState } from '../devices/sims/health/breaker';
import { SimHealthRepository } from '../devices/sims/health/sim-health.repository';
import { WAIT_REASONS } from '../devices/sims/wait-reasons';
import { WaitingMessagesRepository } from '../gateway/waiting/waiting-messages.repository';
import { QueueStatsService } from './queue-stats.service';
import { MemoizedValue } from '../common/memoized-value';
import { MAX_COUNTED, DatabaseStatsService } from './database-stats.service';

const CACHE_TTL_MS = 10_000;

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
    const upTo = `; counted up to ${MAX_COUNTED}`;
    this.gauge('messages_open', `Messages that are not settled, by state${upTo}`, 'status', async () =>
      Object.entries((await stored.read())?.messages ?? {}),
    );
    const waitingByReason = new MemoizedValue(CACHE_TTL_MS, () =>
      tryWithTimeout(waiting.countByReason(MAX_COUNTED)),
    );
    this.gauge(
      'messages_waiting',
      `Messages that wait, by reason; up to ${MAX_COUNTED} are counted in all`,
      'reason',
      async () => {
        const counts = await waitingByReason.read();
        return counts ? WAIT_REASONS.map((reason) => [reason, counts[reason] ?? 0] as const) : [];
      },
    );
    this.gauge('devices', `Enabled devices, by when they were last seen${upTo}`, 'heard', async () =>
      Object.entries((await stored.read())?.devices ?? {}),
    );
    this.gauge(
      'device_connections',
      `Enabled devices, by the state of their connection${upTo}`,
      'state',
      async () => Object.entries((await stored.read())?.connections ?? {}),
    );
    new Gauge({
      name: `${METRIC_PREFIX}events_set_aside`,
      help: `Messages, devices and SIMs whose events cannot be relayed; retried each hour and by admin events retry${upTo}`,
      registers: [registry],
      async collect() {
        this.set((await stored.read())?.setAsideEvents ?? 0);
      },
    });
    const breakers = new MemoizedValue(CACHE_TTL_MS, () =>
      tryWithTimeout(health.listOpenBreakers(MAX_COUNTED)),
    );
    this.gauge(
      'sims_unhealthy',
      `SIMs whose breaker is not closed, by its state${upTo}`,
      'state',
      async () => {
        const states = (await breakers.read())?.map((breaker) => breakerState(breaker, clock.now()));
        return (['open', 'half-open'] as const).flatMap((state) =>
          states ? [[state, states.filter((each) => each === state).length] as const] : [],
        );
      },
    );
    this.gauge('overdue_seconds', 'Age of the oldest overdue work', 'work', async () =>
      inSeconds(Object.entries((await stored.read())?.overdueMs ?? {})),
    );
    this.gauge('queue_oldest_seconds', 'Wait of the oldest job in the queue', 'queue', async () =>
      inSeconds((await queued.read())?.map(({ queue, oldestMs }) => [queue, oldestMs]) ?? []),
    );
    const jobs = new Gauge({
      name: `${METRIC_PREFIX}queue_jobs`,
      help: 'Jobs in the queues, by state',
      labelNames: ['queue', 'state'],
      registers: [registry],
      async collect() {
        this.reset();
        for (const stats of (await queued.read()) ?? []) {
          for (const [state, count] of Object.entries(stats.jobs)) {
            jobs.set({ queue: stats.queue, state }, count);
          }
        }
      },
    });
  }

  private gauge(
    name: string,
    help: string,
    label: string,
    read: () => Promise<readonly (readonly [string, number])[]>,
  ): void {
    const gauge = new Gauge({
      name: `${METRIC_PREFIX}${name}`,
      help,
      labelNames: [label],
      registers: [this.registry],
      async collect() {
        const values = await read();
        this.reset();
        for (const [labelValue, number] of values) gauge.set({ [label]: labelValue }, number);
      },
    });
  }
}

const inSeconds = (values: readonly (readonly [string, number])[]) =>
  values.map(([name, ms]) => [name, ms / 1_000] as const);
