import { BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AuthenticatedAccount } from '../../auth/account-scope';
import { RedisConfig } from '../../config/sections/redis.config';
import { forEachInSlices } from '../../common/slices';
import { RedisSubscriber } from '../../infrastructure/redis/redis-subscriber';
import { AccountGroups } from '../../common/account-groups';

/** What a phone that fetches is told. */
export type WakeSignal =
  { readonly kind: 'fetch' } | { readonly kind: 'cancel'; readonly smsIds: readonly string[] };

/** An open stream of a phone that fetches its messages. Its protocol decides what the signals look like. */
export interface WakeStream {
  readonly account: AuthenticatedAccount;
  readonly deviceId: Types.ObjectId;
  readonly isOpen: boolean;
  send(signal: WakeSignal): void;
  comment(text: string): void;
  onClose(listener: () => void): void;
  close(): void;
}

/** The least time between two signals to fetch, because each makes the app cancel a fetch in progress and start again. */
const FETCH_INTERVAL_MS = 2_000;

/** The time in which the answer to a fetch arrives at most phones. */
const TRANSIT_MS = 100;

interface WokenPhone {
  readonly streams: Set<WakeStream>;
  /** Fetches that this process is answering. */
  fetchCount: number;
  /** Absent if it may be told to fetch at once. */
  timer?: NodeJS.Timeout;
  isFetchPending: boolean;
}

/** The Redis channel of the signals for a device. */
export const wakeChannel = ({ prefix }: RedisConfig, deviceId: Types.ObjectId): string =>
  `${prefix}:wake:${deviceId.toHexString()}`;

/** The open streams of this process that wake phones; a phone may hold several. Signals of other processes arrive over Redis. */
@Injectable()
export class WakeHub implements BeforeApplicationShutdown {
  private readonly phones = new Map<string, WokenPhone>();
  private readonly accounts = new AccountGroups<WokenPhone>();
  private isStopping = false;

  constructor(
    private readonly config: RedisConfig,
    private readonly subscriber: RedisSubscriber,
  ) {}

  /** Adds a stream, unless it is closed already. @returns whether it is the first of its phone. */
  async add(stream: WakeStream): Promise<boolean> {
    if (this.isStopping) stream.close();
    if (!stream.isOpen) return false;
    const channel = wakeChannel(this.config, stream.deviceId);
    const phone = this.phones.get(channel) ?? { streams: new Set(), fetchCount: 0, isFetchPending: false };
    const isFirst = phone.streams.size === 0;
    const { user } = stream.account;
    this.phones.set(channel, phone);
    this.accounts.set(user, channel, phone);
    phone.streams.add(stream);
    stream.onClose(() => {
      phone.streams.delete(stream);
      if (phone.streams.size > 0 || this.phones.get(channel) !== phone) return;
      clearTimeout(phone.timer);
      this.phones.delete(channel);
      this.accounts.delete(user, channel);
      this.subscriber.unsubscribe(channel, this.onSignal);
    });
    if (isFirst) await this.subscriber.subscribe(channel, this.onSignal);
    return isFirst;
  }

  /** Tells the streams of a phone in this process. @returns whether there is one. */
  signal(deviceId: Types.ObjectId, signal: WakeSignal): boolean {
    return this.signalOn(wakeChannel(this.config, deviceId), signal);
  }

  /** Holds back signals to fetch while a fetch is answered: they would make the app cancel it. */
  async duringFetch<Result>(deviceId: Types.ObjectId, fetch: () => Promise<Result>): Promise<Result> {
    const phone = this.phones.get(wakeChannel(this.config, deviceId));
    if (!phone) return fetch();
    phone.fetchCount += 1;
    try {
      return await fetch();
    } finally {
      phone.fetchCount -= 1;
      if (!phone.timer) this.pauseFetches(phone, TRANSIT_MS);
    }
  }

  countOfDevice(deviceId: Types.ObjectId): number {
    return this.phones.get(wakeChannel(this.config, deviceId))?.streams.size ?? 0;
  }

  /** Counts the phones of an account with a stream, without this one. */
  countOtherPhones(user: Types.ObjectId, deviceId: Types.ObjectId): number {
    return this.accounts.countOthers(user, wakeChannel(this.config, deviceId));
  }

  listOpen(): WakeStream[] {
    return [...this.phones.values()].flatMap(({ streams }) => [...streams]);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    await forEachInSlices(this.listOpen(), (stream) => {
      stream.close();
    });
  }

  private readonly onSignal = (text: string, channel: string): void => {
    this.signalOn(channel, JSON.parse(text) as WakeSignal);
  };

  private signalOn(channel: string, signal: WakeSignal): boolean {
    const phone = this.phones.get(channel);
    if (!phone) return false;
    if (signal.kind === 'fetch') this.tellToFetch(phone);
    else for (const stream of phone.streams) stream.send(signal);
    return true;
  }

  private tellToFetch(phone: WokenPhone): void {
    if (phone.timer ?? phone.fetchCount > 0) {
      phone.isFetchPending = true;
      return;
    }
    for (const stream of phone.streams) stream.send({ kind: 'fetch' });
    phone.isFetchPending = false;
    this.pauseFetches(phone, FETCH_INTERVAL_MS);
  }

  private pauseFetches(phone: WokenPhone, ms: number): void {
    phone.timer = setTimeout(() => {
      phone.timer = undefined;
      if (phone.isFetchPending) this.tellToFetch(phone);
    }, ms).unref();
  }
}
