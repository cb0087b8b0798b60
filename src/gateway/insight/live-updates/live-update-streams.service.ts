import { BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Gauge, Registry } from 'prom-client';
import type { AuthenticatedAccount } from '../../../auth/account-scope';
import { AuthService } from '../../../auth/authentication/auth.service';
import { type PlatformResponse, hijackResponse } from '../../../common/http/connections/raw-http';
import { KEEPALIVE_MS } from '../../../common/http/streams/stream-rounds';
import { closeEnded, keepAlive } from '../../../common/http/streams/stream-upkeep';
import { type Hints, HINT_KINDS } from '../../../infrastructure/live/hint';
import { HintThrottle } from '../../../infrastructure/live/hint-throttle';
import { LiveHints, WHO_LISTENS } from '../../../infrastructure/live/live-hints';
import { METRIC_PREFIX } from '../../../infrastructure/metrics/metrics.module';
import { AccessChanges } from '../../../infrastructure/redis/access-changes';
import { RedisSubscriber } from '../../../infrastructure/redis/redis-subscriber';
import { LiveUpdateStream } from './live-update-stream';

const ANNOUNCE_INTERVAL_MS = 10_000;
const REDIS_CHECK_INTERVAL_MS = 1_000;

/** The open event streams of this process. Hints from all processes arrive over Redis. */
@Injectable()
export class LiveUpdateStreams implements BeforeApplicationShutdown {
  private readonly logger = new Logger(LiveUpdateStreams.name);
  private readonly byAccount = new Map<string, Set<LiveUpdateStream>>();
  // Each process publishes at most four times a second.
  private readonly throttle = new HintThrottle((account, hints) => {
    for (const stream of this.byAccount.get(account) ?? []) stream.sendHints(hints);
  });
  private isCheckingRedis = false;
  private isShuttingDown = false;

  constructor(
    private readonly auth: AuthService,
    private readonly hints: LiveHints,
    private readonly subscriber: RedisSubscriber,
    private readonly accessChanges: AccessChanges,
    registry: Registry,
  ) {
    const countOpen = () => this.listOpen().length;
    new Gauge({
      name: `${METRIC_PREFIX}event_streams_open`,
      help: 'Open event streams of this process, such as those of open dashboards',
      registers: [registry],
      collect() {
        this.set(countOpen());
      },
    });
  }

  /** Opens a stream; what changes after its event `ready` is hinted at. */
  async open(account: AuthenticatedAccount, response: PlatformResponse): Promise<void> {
    const stream = new LiveUpdateStream(account, hijackResponse(response));
    if (this.isShuttingDown) stream.close();
    if (!stream.isOpen) return;
    const user = account.user.toHexString();
    this.add(user, stream);
    await Promise.all([
      this.subscriber.subscribe(this.hints.channelOf(user), this.onHints),
      this.subscriber.subscribe(this.accessChanges.channel, this.onAccessChange),
      this.subscriber.subscribe(this.hints.listenersChannel, this.onListenersMessage),
    ]);
    const isUp = await this.subscriber.isUp();
    stream.sendReady(isUp && (await this.hints.announceListeners([user])));
    // Its access may have ended before the subscription.
    await closeEnded([stream], this.listEnded, this.logger);
  }

  listOpen(): LiveUpdateStream[] {
    return [...this.byAccount.values()].flatMap((streams) => [...streams]);
  }

  @Interval(KEEPALIVE_MS)
  async keepAlive(): Promise<void> {
    await keepAlive(this.listOpen(), 'still here', this.listEnded, this.logger);
  }

  @Interval(ANNOUNCE_INTERVAL_MS)
  announce(): Promise<boolean> {
    return this.hints.announceListeners([...this.byAccount.keys()]);
  }

  /** Tells the clients when Redis goes away and is back. */
  @Interval(REDIS_CHECK_INTERVAL_MS)
  async checkRedis(): Promise<void> {
    if (this.byAccount.size === 0 || this.isCheckingRedis) return;
    this.isCheckingRedis = true;
    try {
      const streams = this.listOpen();
      const isUp = await this.subscriber.isUp();
      // Publishers may have forgotten the listeners.
      const isLive = isUp && (!streams.some(({ isDegraded }) => isDegraded) || (await this.announce()));
      for (const stream of streams) stream.sendState(isLive);
    } finally {
      this.isCheckingRedis = false;
    }
  }

  beforeApplicationShutdown(): void {
    this.isShuttingDown = true;
    for (const stream of this.listOpen()) stream.close();
    this.throttle.stop();
  }

  private add(user: string, stream: LiveUpdateStream): void {
    const streams = this.byAccount.get(user) ?? new Set();
    this.byAccount.set(user, streams.add(stream));
    stream.onClose(() => {
      streams.delete(stream);
      if (streams.size > 0) return;
      this.byAccount.delete(user);
      this.subscriber.unsubscribe(this.hints.channelOf(user), this.onHints);
    });
  }

  private readonly onHints = (message: string, channel: string): void => {
    const user = channel.slice(this.hints.channelOf('').length);
    const hints = JSON.parse(message) as Hints;
    // A process of another version may have other kinds.
    for (const kind of HINT_KINDS) {
      const hint = hints[kind];
      if (hint) this.throttle.add(user, kind, hint);
    }
  };

  private readonly onAccessChange = (user: string): void => {
    void closeEnded([...(this.byAccount.get(user) ?? [])], this.listEnded, this.logger);
  };

  private readonly onListenersMessage = (message: string): void => {
    if (message === WHO_LISTENS) void this.announce();
  };

  private readonly listEnded = async (streams: readonly LiveUpdateStream[]): Promise<LiveUpdateStream[]> => {
    const revoked = await this.auth.findRevoked(streams.map(({ account }) => account));
    return streams.filter(({ account }) => revoked.has(account));
  };
}
