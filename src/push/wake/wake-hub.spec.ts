import { Types } from 'mongoose';
import type { AuthenticatedAccount } from '../../auth/account-scope';
import { RedisConfig } from '../../config/sections/redis.config';
import type { RedisSubscriber } from '../../infrastructure/redis/redis-subscriber';
import { WakeHub, type WakeSignal, type WakeStream } from './wake-hub';

const SUBSCRIBER = {
  subscribe: () => Promise.resolve(),
  unsubscribe: () => undefined,
} as unknown as RedisSubscriber;

class RecordedStream implements WakeStream {
  readonly account = { user: new Types.ObjectId() } as unknown as AuthenticatedAccount;
  readonly signals: WakeSignal[] = [];
  isOpen = true;
  private readonly listeners: (() => void)[] = [];

  constructor(readonly deviceId: Types.ObjectId) {}

  get fetches(): number {
    return this.signals.filter(({ kind }) => kind === 'fetch').length;
  }

  send(signal: WakeSignal): void {
    this.signals.push(signal);
  }

  comment(): void {
    throw new Error('Not used');
  }

  onClose(listener: () => void): void {
    this.listeners.push(listener);
  }

  close(): void {
    this.isOpen = false;
    for (const listener of this.listeners) listener();
  }
}

describe('the streams that wake phones', () => {
  const device = new Types.ObjectId();
  let hub: WakeHub;
  const fetch = () => hub.signal(device, { kind: 'fetch' });

  beforeEach(() => {
    jest.useFakeTimers();
    hub = new WakeHub(new RedisConfig(), SUBSCRIBER);
  });
  afterEach(() => jest.useRealTimers());

  async function open(): Promise<RecordedStream> {
    const stream = new RecordedStream(device);
    await hub.add(stream);
    return stream;
  }

  it('tell a phone to fetch at once, then every two seconds at most, and forget nothing', async () => {
    const stream = await open();
    for (let count = 0; count < 5; count++) fetch();
    expect(stream.fetches).toBe(1);
    jest.advanceTimersByTime(2_000);
    expect(stream.fetches).toBe(2);
    jest.advanceTimersByTime(10_000);
    expect(stream.fetches).toBe(2);
    fetch();
    expect(stream.fetches).toBe(3);
  });

  it('do not interrupt a fetch that is being answered', async () => {
    const stream = await open();
    let answer: (() => void) | undefined;
    const answered = hub.duringFetch(device, () => new Promise<void>((resolve) => (answer = resolve)));
    fetch();
    jest.advanceTimersByTime(60_000);
    expect(stream.fetches).toBe(0);
    answer?.();
    await answered;
    jest.advanceTimersByTime(100);
    expect(stream.fetches).toBe(1);
  });

  it('are told all of them, and older ones stay open', async () => {
    const streams = [await open(), await open()];
    hub.signal(device, { kind: 'cancel', smsIds: ['a'] });
    expect(streams.map(({ signals, isOpen }) => [signals.length, isOpen])).toEqual([
      [1, true],
      [1, true],
    ]);
    streams[0]?.close();
    expect(hub.countOfDevice(device)).toBe(1);
    streams[1]?.close();
    expect([hub.countOfDevice(device), fetch()]).toEqual([0, false]);
  });
});
