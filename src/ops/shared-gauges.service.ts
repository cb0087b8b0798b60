import { Injectable } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';
import { METRIC_PREFIX } from '../common/metrics.module';
import { QueueFiguresService } from './queue-figures.service';
import { Remembered } from './remembered';
import { MOST_COUNTED, StoreFiguresService } from './store-figures.service';

/** However often it is scraped. */
const REMEMBERED_MS = 10_000;

/**
 * What is the same whichever process is asked, because it stands in the database and in Redis. Only processes with the
 * scheduler role tell it, of which there are few, and only when they are scraped. What cannot be read is left out.
 */
@Injectable()
export class SharedGauges {
  constructor(
    private readonly registry: Registry,
    store: StoreFiguresService,
    queues: QueueFiguresService,
  ) {
    const stored = new Remembered(REMEMBERED_MS, () => store.read());
    const queued = new Remembered(REMEMBERED_MS, () => queues.read());
    const upTo = `; counted up to ${MOST_COUNTED}`;
    this.gauge('messages_open', `Messages still on their way, by state${upTo}`, 'status', async () =>
      Object.entries((await stored.read())?.messages ?? {}),
    );
    this.gauge('devices', `Enabled devices, by when they were last heard${upTo}`, 'heard', async () =>
      Object.entries((await stored.read())?.devices ?? {}),
    );
    new Gauge({
      name: `${METRIC_PREFIX}events_set_aside`,
      help: `Messages whose events cannot be relayed; retried each hour and by admin events retry${upTo}`,
      registers: [registry],
      async collect() {
        this.set((await stored.read())?.setAsideEvents ?? 0);
      },
    });
    this.gauge(
      'overdue_seconds',
      'How long the work that is due longest has been waiting',
      'work',
      async () => inSeconds(Object.entries((await stored.read())?.overdueMs ?? {})),
    );
    this.gauge(
      'queue_oldest_seconds',
      'How long the first job in line has been waiting for a worker',
      'queue',
      async () => inSeconds((await queued.read())?.map(({ queue, oldestMs }) => [queue, oldestMs]) ?? []),
    );
    const jobs = new Gauge({
      name: `${METRIC_PREFIX}queue_jobs`,
      help: 'Jobs in the queues, by state',
      labelNames: ['queue', 'state'],
      registers: [registry],
      async collect() {
        this.reset();
        for (const figures of (await queued.read()) ?? []) {
          for (const [state, count] of Object.entries(figures.jobs)) {
            jobs.set({ queue: figures.queue, state }, count);
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
        for (const [value, figure] of values) gauge.set({ [label]: value }, figure);
      },
    });
  }
}

const inSeconds = (values: readonly (readonly [string, number])[]) =>
  values.map(([name, ms]) => [name, ms / 1_000] as const);
