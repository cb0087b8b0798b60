import { Injectable, OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { Types } from 'mongoose';
import { groupBy } from '../../common/group-by';
import { RedisConfig } from '../../config/sections/redis.config';
import { RolesConfig } from '../../config/sections/roles.config';
import { RedisPublisher } from '../redis/redis-publisher';
import { RedisSubscriber } from '../redis/redis-subscriber';
import { HintThrottle } from './hint-throttle';
import { type HintKind, hintOf } from './hint';

/** Listeners announce themselves again within a third of this time. */
const LISTENER_TIMEOUT_MS = 30_000;

/** Asks the processes with listeners to announce them. */
export const WHO_LISTENS = '?';

/**
 * Tells those who watch an account, such as an open dashboard, that something of it may have changed, in any process. A hint
 * may be lost and carries no data; it has nothing to do with jobs of queues. Hints are published while somebody listens: each process knows the accounts that have listeners from what
 * the listeners announce over Redis, and forgets them if they are not announced again.
 */
@Injectable()
export class LiveHints implements OnApplicationBootstrap, OnApplicationShutdown {
  /** Carries the accounts that have listeners, in hexadecimal, with commas; or `WHO_LISTENS`. */
  readonly listenersChannel: string;
  /** By account, until when it has listeners, by `performance.now()`. */
  private readonly listening = new Map<string, number>();
  private readonly throttle = new HintThrottle((account, hints) => {
    void this.publisher.publish(this.channelOf(account), JSON.stringify(hints));
  });

  constructor(
    private readonly config: RedisConfig,
    private readonly roles: RolesConfig,
    private readonly publisher: RedisPublisher,
    private readonly subscriber: RedisSubscriber,
  ) {
    this.listenersChannel = `${config.prefix}:live-listeners`;
  }

  onApplicationBootstrap(): void {
    // An admin command ends before it could know who listens.
    if (this.roles.roles.length === 0) return;
    this.subscriber.onReady(() => void this.askForListeners());
    void this.subscriber.subscribe(this.listenersChannel, (message) => {
      if (message !== WHO_LISTENS) this.addListeners(message.split(','));
    });
  }

  onApplicationShutdown(): void {
    this.throttle.stop();
  }

  /**
   * Call it after the change is stored. Returns at once, and costs one map lookup while nobody listens. Never throws.
   * @param ids of what has changed; absent if they are not known, or are many.
   */
  publish(
    { user }: { readonly user: Types.ObjectId },
    kind: HintKind,
    ids?: readonly Types.ObjectId[],
  ): void {
    if (this.listening.size === 0 || ids?.length === 0) return;
    const account = String(user);
    const until = this.listening.get(account);
    if (until === undefined || until < performance.now()) return;
    this.throttle.add(account, kind, hintOf(ids));
  }

  /** The same for documents of any accounts. */
  publishAll(
    kind: HintKind,
    documents: readonly { readonly _id: Types.ObjectId; readonly user: Types.ObjectId }[],
  ): void {
    if (this.listening.size === 0) return;
    for (const ofAccount of groupBy(documents, ({ user }) => String(user)).values()) {
      const [first] = ofAccount;
      const ids = ofAccount.map(({ _id }) => _id);
      if (first) this.publish(first, kind, ids);
    }
  }

  /** The Redis channel of the hints of an account; a message is `Hints` as JSON. */
  channelOf(account: string): string {
    return `${this.config.prefix}:live:${account}`;
  }

  /**
   * Announces that these accounts, in hexadecimal, have listeners; to be repeated every 10 s.
   * @returns whether Redis has taken it, within a second. Never throws.
   */
  async announceListeners(accounts: readonly string[]): Promise<boolean> {
    if (accounts.length === 0) return true;
    const message = accounts.join(',');
    return this.publisher.publish(this.listenersChannel, message);
  }

  private addListeners(accounts: readonly string[]): void {
    const now = performance.now();
    for (const [account, until] of this.listening) if (until < now) this.listening.delete(account);
    for (const account of accounts) this.listening.set(account, now + LISTENER_TIMEOUT_MS);
  }

  private async askForListeners(): Promise<void> {
    // The answers must not come before the subscription is active.
    await this.subscriber.isUp();
    await this.publisher.publish(this.listenersChannel, WHO_LISTENS);
  }
}
