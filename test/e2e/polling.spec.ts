import { setTimeout as sleep } from 'node:timers/promises';
import { Types } from 'mongoose';
import { LIST_HORIZON_MS } from '../../src/messages/list-horizon';
import { TestClient } from '../support/client';
import { TestClock } from '../support/test-clock';
import { TestService } from '../support/service';

interface Polled {
  readonly data: readonly { readonly _id: string; readonly createdAt: string }[];
  readonly meta: { readonly nextCursor: string | null; readonly hasMore: boolean; readonly total?: number };
}

/** What the recipe of docs/use/recipes.md keeps between two polls. */
class Poller {
  readonly seen = new Set<string>();

  constructor(
    private readonly client: TestClient,
    private from: string,
  ) {}

  async poll(): Promise<void> {
    const query = new URLSearchParams({ order: 'asc', limit: '100', from: this.from });
    for (;;) {
      const { body } = (await this.client.get(`/gateway/messages?${query.toString()}`).expect(200)) as {
        body: Polled;
      };
      for (const { _id, createdAt } of body.data) {
        this.seen.add(_id);
        this.from = createdAt;
      }
      if (body.meta.nextCursor === null) return;
      query.set('cursor', body.meta.nextCursor);
    }
  }
}

/** The same with the last cursor that was not null, as the specification describes it. */
class CursorPoller {
  readonly seen = new Set<string>();
  private cursor?: string;

  constructor(
    private readonly client: TestClient,
    private readonly from: string,
  ) {}

  async poll(): Promise<void> {
    for (;;) {
      const query = new URLSearchParams({ order: 'asc', limit: '20', from: this.from });
      if (this.cursor) query.set('cursor', this.cursor);
      const { body } = (await this.client.get(`/gateway/messages?${query.toString()}`).expect(200)) as {
        body: Polled;
      };
      for (const { _id } of body.data) this.seen.add(_id);
      if (body.meta.nextCursor === null) return;
      this.cursor = body.meta.nextCursor;
    }
  }
}

describe('polling for new messages', () => {
  let service: TestService;
  /** Another process, whose clock is a second behind. */
  let other: TestService;
  let client: TestClient;
  let device: string;

  beforeAll(async () => {
    service = await TestService.start({ environment: { APP_ROLES: 'api' } });
    const clock = new TestClock();
    clock.advance(-500);
    service.clock.advance(500);
    other = await TestService.start({ shared: service, clock, environment: { APP_ROLES: 'api' } });
  });
  beforeEach(async () => {
    client = await service.newAccount();
    device = await client.newDevice();
  });
  afterAll(async () => {
    await other.stop();
    await service.stop();
  });

  const upload = async (through: TestClient, message: string): Promise<string> => {
    const fields = { sender: '+447700900123', message, receivedAtInMillis: 1 };
    const answer = await through.post(`/gateway/devices/${device}/receive-sms`, fields).expect(200);
    return (answer.body as { data: { _id: string } }).data._id;
  };
  /** The next writes of the other process reach the database late, as if it had been stopped after it began them. */
  const delayWrites = (count: number, ms: number): void => {
    const collection = other.collection('messages');
    const write = collection.bulkWrite.bind(collection);
    let left = count;
    collection.bulkWrite = async (...args: Parameters<typeof write>) => {
      left -= 1;
      if (left < 0) return write(...args);
      await sleep(ms);
      return write(...args);
    };
  };
  const list = async (query: string) =>
    ((await client.get(`/gateway/messages?${query}`).expect(200)) as { body: Polled }).body;
  const stored = (id: string) =>
    service.collection('messages').findOne<{ createdAt: Date }>({ _id: new Types.ObjectId(id) });
  const start = () => new Date(Date.now() - 60_000).toISOString();

  it('misses no upload of parallel ones, with slow writes and clocks a second apart', async () => {
    const pollers = [new Poller(client, start()), new CursorPoller(client, start())];
    let isDone = false;
    const polling = pollers.map(async (poller) => {
      while (!isDone) {
        await poller.poll();
        await sleep(50);
      }
    });
    // Those of this process go on meanwhile, so that the pollers pass the time of the stopped ones.
    let isStopped = true;
    const ofThis = [1, 2].map(async (phone) => {
      const ids: string[] = [];
      for (let index = 0; isStopped; index += 1) {
        ids.push(await upload(client, `${phone} ${index}`));
        await sleep(100);
      }
      return ids;
    });
    delayWrites(4, LIST_HORIZON_MS + 1_500);
    const ofOther = [3, 4, 5, 6].map(async (phone) => {
      const ids: string[] = [];
      for (let index = 0; index < 8; index += 1)
        ids.push(await upload(client.at(other.url), `${phone} ${index}`));
      return ids;
    });
    const late = await Promise.all(ofOther);
    isStopped = false;
    const ids = [...late, ...(await Promise.all(ofThis))].flat();
    await sleep(LIST_HORIZON_MS + 1_500);
    isDone = true;
    await Promise.all(polling);
    for (const poller of pollers) {
      await poller.poll();
      expect(ids.filter((id) => !poller.seen.has(id))).toEqual([]);
    }
  });

  it('sees a message that appeared late and whose process died, once its phone uploads it again', async () => {
    const id = await upload(client, 'stopped');
    const { createdAt } = (await stored(id)) ?? {};
    const late = new Date(Number(createdAt) - 10_000);
    await service
      .collection('messages')
      .updateOne({ _id: new Types.ObjectId(id) }, { $set: { createdAt: late } });
    const before = service.clock.now().getTime();
    expect(await upload(client, 'stopped')).toBe(id);
    const redated = Number((await stored(id))?.createdAt);
    expect(redated).toBeGreaterThanOrEqual(before);
    expect(await upload(client, 'stopped')).toBe(id);
    expect(Number((await stored(id))?.createdAt)).toBe(redated);
  });

  it('ends three seconds before now in ascending order, with its total, unless it is the list of a batch', async () => {
    service.clock.stop();
    try {
      await client.newDevice();
      const smsBatch = await client.send(['+447700900123'], { deviceId: device });
      const received = await upload(client, 'new');
      const sent = (await client.batch(device, smsBatch)).messages[0]?._id;
      const inOrder = async (query: string) => {
        const { data, meta } = await list(query);
        return { ids: data.map(({ _id }) => _id).sort(), total: meta.total };
      };
      const all = { ids: [sent, received].sort(), total: 2 };
      const none = { ids: [], total: 0 };
      expect(await inOrder('order=desc')).toEqual(all);
      expect(await inOrder('')).toEqual(all);
      expect(await inOrder(`order=asc&smsBatchId=${smsBatch}`)).toEqual({ ids: [sent], total: 1 });
      for (const filter of ['', '&direction=received', '&from=2026-01-01', '&to=2100-01-01', '&search=e'])
        expect(await inOrder(`order=asc${filter}`)).toEqual(none);
      expect(await inOrder('order=asc&limit=1&page=2')).toMatchObject(none);
      const { text } = await client.get('/gateway/messages/export?order=asc').expect(200);
      expect(text).toContain(received);
      service.clock.advance(LIST_HORIZON_MS + 1_000);
      expect(await inOrder('order=asc')).toEqual(all);
      expect(await inOrder('order=asc&limit=1')).toMatchObject({ total: 2 });
    } finally {
      service.clock.resume();
    }
  });
});
