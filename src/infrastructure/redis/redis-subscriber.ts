import { Injectable, Logger, OnApplicationShutdown } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { formatError } from '../../common/format-error';
import { tryWithTimeout } from '../../common/try-with-timeout';
import { ResilientRedis } from '../patches/ioredis-unhandled-rejections';
import { DISCONNECT_TIMEOUT_MS } from './redis-client';
import { RedisConnections } from './redis-connections';

export type ChannelListener = (message: string, channel: string) => void;

interface Subscription {
  readonly listeners: Set<ChannelListener>;
  readonly active: Promise<unknown>;
}

/**
 * The subscriptions of this process, on one connection, in a cluster to any node: each passes on what is published at the others. ioredis
 * reconnects and subscribes again.
 */
@Injectable()
export class RedisSubscriber implements OnApplicationShutdown {
  private readonly logger = new Logger(RedisSubscriber.name);
  private readonly subscriptions = new Map<string, Subscription>();
  private readonly readyListeners = new Set<() => void>();
  private connection?: Redis;
  private ping?: Promise<boolean>;

  constructor(private readonly connections: RedisConnections) {}

  /**
   * Subscribes a listener; subscribing it again changes nothing. Never throws.
   * @returns when the subscription is active, or after a second without Redis.
   */
  async subscribe(channel: string, listener: ChannelListener): Promise<void> {
    let subscription = this.subscriptions.get(channel);
    if (!subscription) {
      subscription = { listeners: new Set(), active: this.connect().subscribe(channel) };
      this.subscriptions.set(channel, subscription);
    }
    subscription.listeners.add(listener);
    await tryWithTimeout(subscription.active);
  }

  unsubscribe(channel: string, listener: ChannelListener): void {
    const subscription = this.subscriptions.get(channel);
    if (!subscription?.listeners.delete(listener) || subscription.listeners.size > 0) return;
    this.subscriptions.delete(channel);
    this.connect().unsubscribe(channel).catch(ignoreOutage);
  }

  /** Calls the listener after each time that the connection was established. */
  onReady(listener: () => void): void {
    this.readyListeners.add(listener);
  }

  /** Whether Redis answers within a second; then all subscriptions are active. Never throws. */
  async isUp(): Promise<boolean> {
    const connection = this.connect();
    if (connection.status !== 'ready') return false;
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
    return this.connect().status === 'ready';
  }

  onApplicationShutdown(): void {
    this.connection?.disconnect();
  }

  private connect(): Redis {
    if (this.connection) return this.connection;
    const connection = this.connections.open(ResilientRedis, {
      maxRetriesPerRequest: null,
      disconnectTimeout: DISCONNECT_TIMEOUT_MS,
    });
    connection.on('error', ignoreOutage);
    connection.on('ready', () => {
      for (const listener of this.readyListeners) listener();
    });
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

/** The outage is logged by the main Redis connection. */
const ignoreOutage = (): void => undefined;
