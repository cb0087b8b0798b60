import { Injectable, Logger, OnApplicationShutdown } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { formatError } from '../../common/format-error';
import { tryWithTimeout } from '../../common/try-with-timeout';
import { ResilientRedis } from '../patches/ioredis-unhandled-rejections';
import { DISCONNECT_TIMEOUT_MS } from './redis-client';
import { RedisConnections } from './redis-connections';

export type ChannelListener = (message: string, channel: string) => void;

/** A channel with its listeners. */
class Subscription {
  readonly listeners = new Set<ChannelListener>();
  confirm = (): void => undefined;
  /** Resolves when Redis has confirmed it for the first time. */
  readonly active = new Promise<void>((resolve) => (this.confirm = resolve));
}

/**
 * The subscriptions of this process, on one connection, in a cluster to any node: each passes on what is published at the others. Each
 * new connection subscribes to all of them. ioredis would lose one that is sent over a connection which ends before it is ready.
 */
@Injectable()
export class RedisSubscriber implements OnApplicationShutdown {
  private readonly logger = new Logger(RedisSubscriber.name);
  private readonly subscriptions = new Map<string, Subscription>();
  private readonly readyListeners = new Set<() => void>();
  private connection?: Redis;
  private isReady = false;
  private ping?: Promise<boolean>;

  constructor(private readonly connections: RedisConnections) {}

  /**
   * Subscribes a listener; subscribing it again changes nothing. Never throws.
   * @returns when the subscription is active, or after a second without Redis.
   */
  async subscribe(channel: string, listener: ChannelListener): Promise<void> {
    let subscription = this.subscriptions.get(channel);
    if (!subscription) {
      subscription = new Subscription();
      this.subscriptions.set(channel, subscription);
      const connection = this.connect();
      if (this.isReady) void activate(connection, [[channel, subscription]]);
    }
    subscription.listeners.add(listener);
    await tryWithTimeout(subscription.active);
  }

  unsubscribe(channel: string, listener: ChannelListener): void {
    const subscription = this.subscriptions.get(channel);
    if (!subscription?.listeners.delete(listener) || subscription.listeners.size > 0) return;
    this.subscriptions.delete(channel);
    const connection = this.connect();
    if (this.isReady) connection.unsubscribe(channel).catch(ignoreOutage);
  }

  /** Calls the listener after each time that the connection was established. */
  onReady(listener: () => void): void {
    this.readyListeners.add(listener);
  }

  /** Whether Redis answers within a second; then all subscriptions are active. Never throws. */
  async isUp(): Promise<boolean> {
    const connection = this.connect();
    if (!this.isReady) return false;
    this.ping ??= connection
      .ping()
      .then(
        () => true,
        () => false,
      )
      .finally(() => (this.ping = undefined));
    return (await tryWithTimeout(this.ping)) ?? false;
  }

  /** Whether there is a connection now, without asking Redis. */
  get isConnected(): boolean {
    this.connect();
    return this.isReady;
  }

  onApplicationShutdown(): void {
    this.connection?.disconnect();
  }

  private connect(): Redis {
    if (this.connection) return this.connection;
    const connection = this.connections.open(ResilientRedis, {
      autoResubscribe: false,
      maxRetriesPerRequest: 0,
      disconnectTimeout: DISCONNECT_TIMEOUT_MS,
    });
    connection.on('error', ignoreOutage);
    connection.on('ready', () => {
      this.isReady = true;
      void activate(connection, [...this.subscriptions]);
      for (const listener of this.readyListeners) listener();
    });
    connection.on('close', () => (this.isReady = false));
    connection.on('message', (channel: string, message: string) => {
      for (const listener of this.subscriptions.get(channel)?.listeners ?? [])
        this.call(listener, message, channel);
    });
    this.connection = connection;
    return connection;
  }

  private call(listener: ChannelListener, message: string, channel: string): void {
    try {
      listener(message, channel);
    } catch (failure) {
      this.logger.error(`A message on the Redis channel ${channel} was ignored: ${formatError(failure)}`);
    }
  }
}

/** Never throws: what fails with its connection is repeated with the next one. */
async function activate(
  connection: Redis,
  subscriptions: readonly (readonly [channel: string, Subscription])[],
): Promise<void> {
  if (subscriptions.length === 0) return;
  await connection.subscribe(...subscriptions.map(([channel]) => channel)).then(() => {
    for (const [, { confirm }] of subscriptions) confirm();
  }, ignoreOutage);
}

/** The outage is logged by the main Redis connection. */
const ignoreOutage = (): void => undefined;
