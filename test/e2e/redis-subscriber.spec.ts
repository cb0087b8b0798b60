import { once } from 'node:events';
import Redis from 'ioredis';
import { RedisConfig } from '../../src/config/sections/redis.config';
import { RedisConnections } from '../../src/infrastructure/redis/redis-connections';
import { RedisSubscriber } from '../../src/infrastructure/redis/redis-subscriber';
import { eventually } from '../support/eventually';
import { TcpProxy } from '../support/tcp-proxy';

const { REDIS_URL = '' } = process.env;

describe('RedisSubscriber', () => {
  const publisher = new Redis(REDIS_URL);
  const opened: Redis[] = [];
  let proxy: TcpProxy;
  let subscriber: RedisSubscriber;
  let channel: string;

  beforeEach(async () => {
    proxy = await TcpProxy.to(REDIS_URL);
    const config = Object.assign(new RedisConfig(), { url: proxy.via(REDIS_URL) });
    const connections = new RedisConnections(config, publisher);
    const open = connections.open.bind(connections);
    jest.spyOn(connections, 'open').mockImplementation((...args) => {
      const connection = open(...args);
      opened.push(connection);
      return connection;
    });
    subscriber = new RedisSubscriber(connections);
    channel = `test:${opened.length}`;
  });
  afterEach(async () => {
    subscriber.onApplicationShutdown();
    await proxy.close();
  });
  afterAll(() => {
    publisher.disconnect();
  });

  const connection = (): Redis => {
    const latest = opened.at(-1);
    if (!latest) throw new Error('Nothing is connected');
    return latest;
  };
  const listener = (): void => undefined;
  const subscribe = (name = channel) => subscriber.subscribe(name, listener);
  const listenersOf = async (name: string) => (await publisher.pubsub('NUMSUB', name))[1];
  const isSubscribed = (name = channel) =>
    eventually(
      () => listenersOf(name),
      (count) => count === 1,
    );

  it('receives what is published, until it unsubscribes', async () => {
    const received: string[] = [];
    const record = (message: string) => received.push(message);
    await subscriber.subscribe(channel, record);
    await publisher.publish(channel, 'hint');
    await eventually(
      () => received,
      (messages) => messages.includes('hint'),
    );
    subscriber.unsubscribe(channel, record);
    await eventually(
      () => listenersOf(channel),
      (count) => count === 0,
    );
  });

  it('keeps a subscription that is made while the connection is being established', async () => {
    await subscribe(`${channel}:before`);
    proxy.drop();
    await once(connection(), 'connect');
    await subscribe();
    await isSubscribed();
    await isSubscribed(`${channel}:before`);
  });

  it('keeps a subscription that was sent over a connection that is lost before it is ready', async () => {
    await subscribe(`${channel}:before`);
    proxy.cut();
    proxy.freeze();
    await once(connection(), 'connect');
    const subscribed = subscribe();
    proxy.drop();
    await subscribed;
    await isSubscribed();
    await isSubscribed(`${channel}:before`);
  });

  it('forgets a subscription that ended while there was no connection', async () => {
    await subscribe();
    await subscribe(`${channel}:other`);
    proxy.cut();
    await once(connection(), 'close');
    subscriber.unsubscribe(channel, listener);
    proxy.restore();
    await isSubscribed(`${channel}:other`);
    expect(await listenersOf(channel)).toBe(0);
  });

  it('is up when all its subscriptions are active', async () => {
    void subscribe();
    await eventually(
      () => subscriber.isUp(),
      (isUp) => isUp,
    );
    expect(await listenersOf(channel)).toBe(1);
    proxy.cut();
    await once(connection(), 'close');
    expect(await subscriber.isUp()).toBe(false);
    proxy.restore();
    await eventually(
      () => subscriber.isUp(),
      (isUp) => isUp,
    );
    expect(await listenersOf(channel)).toBe(1);
  });
});
