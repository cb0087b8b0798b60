import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { MINUTE_MS, SECOND_MS } from '../../common/durations';
import { RedisConfig } from '../../config/sections/redis.config';
import { RedisCircuitBreaker } from '../redis/redis-circuit-breaker';
import { RedisPublisher } from '../redis/redis-publisher';
import { RedisSubscriber } from '../redis/redis-subscriber';

/** For this long after a call or a job, what they have stored may need a sweep. */
const ACTIVE_MS = MINUTE_MS;

const ANNOUNCEMENT_INTERVAL_MS = 15 * SECOND_MS;

/** Whether anything happens in the installation. Processes tell each other by Redis. */
@Injectable()
export class Activity implements OnApplicationBootstrap {
  private readonly channel: string;
  private lastAt = -Infinity;
  private announcedAt = -Infinity;

  constructor(
    private readonly redis: RedisCircuitBreaker,
    private readonly publisher: RedisPublisher,
    private readonly subscriber: RedisSubscriber,
    private readonly clock: Clock,
    { prefix }: RedisConfig,
  ) {
    this.channel = `${prefix}:activity`;
  }

  async onApplicationBootstrap(): Promise<void> {
    this.record();
    await this.subscriber.subscribe(this.channel, () => {
      this.lastAt = this.clock.now().getTime();
    });
  }

  /** Call it when a client or a phone calls, when a job runs, when the stream of a phone ends, and when a check has raised an event. */
  record(): void {
    this.lastAt = this.clock.now().getTime();
    if (Math.abs(this.lastAt - this.announcedAt) < ANNOUNCEMENT_INTERVAL_MS) return;
    this.announcedAt = this.lastAt;
    void this.publisher.publish(this.channel, '');
  }

  /** True without Redis too: other processes cannot tell then. */
  get isActive(): boolean {
    const sinceMs = Math.abs(this.clock.now().getTime() - this.lastAt);
    return sinceMs < ACTIVE_MS || !this.subscriber.isConnected || this.redis.isOpen;
  }
}
