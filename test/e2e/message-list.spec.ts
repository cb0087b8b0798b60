import fc from 'fast-check';
import { getConnectionToken, getModelToken } from '@nestjs/mongoose';
import { type Connection, type Model, Types } from 'mongoose';
import { DevicesRepository } from '../../src/devices/devices.repository';
import { messageCondition } from '../../src/messages/message-condition';
import { type Order, ORDERS, writeCursor } from '../../src/messages/message-cursor';
import type { MessageFilter } from '../../src/messages/message-query';
import { Message } from '../../src/messages/message.schema';
import { MESSAGE_STATUSES } from '../../src/messages/message-status';
import { MessageJson, TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { TestService } from '../support/service';

interface Meta {
  page?: number;
  limit: number;
  total?: number;
  totalPages?: number;
  nextCursor: string | null;
  hasMore: boolean;
}

interface ListJson {
  data: MessageJson[];
  meta: Meta;
}

interface ErrorJson {
  error: string;
  message: string;
  code: string;
  details?: { field: string }[];
}

/** A message as it is stored, as far as the list looks at it. */
interface Stored {
  _id: Types.ObjectId;
  user: Types.ObjectId;
  device: Types.ObjectId;
  direction: 'sent' | 'received';
  status?: string;
  message: string;
  encrypted?: boolean;
  sender?: string;
  recipient?: string;
  smsBatch?: Types.ObjectId;
  createdAt: Date;
  updatedAt: Date;
}

const START = Date.parse('2026-01-01T00:00:00Z');
const at = (seconds: number) => new Date(START + seconds * 1_000);
const UNKNOWN_ID = '0123456789abcdef01234567';

describe('the message list', () => {
  let service: TestService;
  let client: TestClient;
  let device: string;

  beforeAll(async () => {
    service = await TestService.start();
  });
  beforeEach(async () => {
    client = await service.newAccount();
    device = await client.newDevice();
  });
  afterAll(() => service.stop());

  /** Stores messages straight into the database, one a second unless they say otherwise. */
  async function store(messages: Partial<Stored>[]): Promise<string[]> {
    const documents = messages.map((message, second): Stored => ({
      _id: new Types.ObjectId(),
      user: client.user,
      device: new Types.ObjectId(device),
      direction: 'sent',
      status: 'sent',
      message: 'Hello',
      ...(message.direction === 'received' ? {} : { recipient: '+4915112345678' }),
      createdAt: at(second),
      updatedAt: at(second),
      ...message,
    }));
    if (documents.length > 0) await service.collection('messages').insertMany(documents);
    return documents.map(({ _id }) => _id.toHexString());
  }

  type Query = Record<string, string | number>;
  const ask = (query: Query | string, as = client) => as.get('/gateway/messages').query(query);

  async function list(query: Query = {}, as = client): Promise<ListJson> {
    const answer = await ask(query, as);
    if (answer.status !== 200) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body as ListJson;
  }

  /** What a list without a page or cursor finds, oldest first. */
  const find = async (query: Query) => (await list({ order: 'asc', ...query })).data.map(({ _id }) => _id);

  async function walk(query: Query, visit: (ids: string[]) => unknown = () => undefined): Promise<string[]> {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: ListJson = await list(cursor ? { ...query, cursor } : query);
      const ids = page.data.map(({ _id }) => _id);
      await visit(ids);
      seen.push(...ids);
      expect(page.meta.hasMore).toBe(page.meta.nextCursor !== null);
      cursor = page.meta.nextCursor;
    } while (cursor);
    return seen;
  }

  async function expectError(query: Query | string, status: number, code: string, field?: string) {
    const answer = await ask(query);
    const error = answer.body as ErrorJson;
    expect([query, answer.status, error.code]).toEqual([query, status, code]);
    expect(error.error).toBe(error.message);
    if (field) expect(error.details?.map((detail) => detail.field)).toEqual([field]);
    return error;
  }

  it('answers with the fields of the specification, newest first', async () => {
    const batch = await client.send(['+4915112345678', '+4915112345679']);
    await client.post(`/gateway/devices/${device}/receive-sms`, {
      sender: '+49301234',
      message: 'Answer',
      receivedAtInMillis: Date.now(),
    });
    // They are dispatched meanwhile: a message read before and after that is not the same.
    const { data, meta } = await eventually(list, (page) =>
      page.data.every(({ direction, status }) => direction === 'received' || status === 'dispatched'),
    );
    expect(meta).toEqual({ page: 1, limit: 50, total: 3, totalPages: 1, nextCursor: null, hasMore: false });
    expect(data.map(({ message }) => message)).toEqual(['Answer', 'Hello', 'Hello']);
    expect(data[0]).toMatchObject({
      type: 'RECEIVED',
      direction: 'received',
      status: 'received',
      sender: '+49301234',
      device: {
        _id: device,
        enabled: true,
        brand: 'google',
        model: 'Pixel 8',
        buildId: 'AP2A.240805.005',
      },
    });
    expect(data[1]).toMatchObject({ type: 'SENT', direction: 'sent', smsBatch: batch });
    for (const message of data) {
      expect(Object.keys(message.device as object).sort()).toEqual(
        ['_id', 'brand', 'buildId', 'enabled', 'model'].sort(),
      );
      expect(message).toEqual(await client.message(device, message._id));
    }
  });

  it('answers an account without messages, and one without devices', async () => {
    const meta = { page: 1, limit: 50, total: 0, totalPages: 0, nextCursor: null, hasMore: false };
    expect(await list()).toEqual({ data: [], meta });
    expect(await list({}, await service.newAccount())).toEqual({ data: [], meta });
  });

  it('asks the database in two rounds, without counting behind a cursor', async () => {
    await store([{}, {}]);
    const connection = service.app.get<Connection>(getConnectionToken(), { strict: false });
    const calls: string[] = [];
    const { meta } = await list({ limit: 1 });
    connection.set('debug', (collection: string, method: string) => {
      if (['devices', 'messages', 'batches'].includes(collection)) calls.push(`${collection}.${method}`);
    });
    try {
      await list();
      expect(calls.splice(0)).toEqual(['devices.find', 'messages.aggregate', 'messages.countDocuments']);
      await list({ cursor: meta.nextCursor ?? '' });
      expect(calls).toEqual(['devices.find', 'messages.aggregate']);
    } finally {
      connection.set('debug', false);
    }
  });

  it('knows the device of a message that was uploaded right after the pairing', async () => {
    const [id] = await store([{}]);
    jest.spyOn(service.get(DevicesRepository), 'findForMessages').mockResolvedValueOnce([]);
    const { data } = await list();
    expect(data).toMatchObject([{ _id: id, device: { _id: device } }]);
  });

  describe('filters', () => {
    it('by direction, and by its deprecated alias', async () => {
      const [sent, received] = await store([{}, { direction: 'received', status: 'received' }]);
      for (const name of ['direction', 'type']) {
        expect(await find({ [name]: 'all' })).toEqual([sent, received]);
        expect(await find({ [name]: 'sent' })).toEqual([sent]);
        expect(await find({ [name]: 'received' })).toEqual([received]);
      }
      expect(await find({ direction: 'sent', type: 'sent' })).toEqual([sent]);
    });

    it('by status, and takes a missing one for unknown', async () => {
      const ids = await store([...MESSAGE_STATUSES.map((status) => ({ status })), { status: undefined }]);
      await service
        .collection('messages')
        .updateOne({ _id: new Types.ObjectId(ids.at(-1)) }, { $unset: { status: 1 } });
      for (const [index, status] of MESSAGE_STATUSES.entries()) {
        const expected = status === 'unknown' ? [ids[index], ids.at(-1)] : [ids[index]];
        expect(await find({ status })).toEqual(expected);
      }
    });

    it('by time of creation: from inclusive, to exclusive', async () => {
      const ids = await store(Array.from({ length: 5 }, () => ({})));
      expect(await find({ from: '2026-01-01T00:00:02Z' })).toEqual(ids.slice(2));
      expect(await find({ to: '2026-01-01T00:00:02Z' })).toEqual(ids.slice(0, 2));
      expect(await find({ from: '2026-01-01T01:00:01+01:00', to: '2025-12-31T23:00:03-01:00' })).toEqual(
        ids.slice(1, 3),
      );
      expect(await find({ from: '2026-01-01', to: '2026-01-02' })).toEqual(ids);
      expect(await find({ to: '2026-01-01' })).toEqual([]);
      expect(await find({ from: '2026-01-02', to: '2026-01-01' })).toEqual([]);
    });

    it('by batch', async () => {
      await client.send(['+4915100000001']);
      const batch = await client.send(['+4915100000002', '+4915100000003']);
      const { data, meta } = await list({ smsBatchId: batch });
      expect(data.map(({ recipient }) => recipient).sort()).toEqual(['+4915100000002', '+4915100000003']);
      expect(meta.total).toBe(2);
      expect(await walk({ smsBatchId: batch, limit: 1, order: 'asc' })).toHaveLength(2);
      expect(await find({ smsBatchId: batch, direction: 'received' })).toEqual([]);
    });

    it('by devices, one or several', async () => {
      const others = [await client.newDevice(), await client.newDevice()];
      const [first, second, third] = await store(
        [device, ...others].map((id) => ({ device: new Types.ObjectId(id) })),
      );
      expect(await find({ deviceIds: device })).toEqual([first]);
      expect(await find({ deviceIds: others.join(',') })).toEqual([second, third]);
      expect(await find({ deviceIds: `${device}, ${others[1] ?? ''},${device}` })).toEqual([first, third]);
      expect(await find({})).toEqual([first, second, third]);
    });

    it('has a total that keeps up with what comes in, before and after it has settled', async () => {
      const totals: (number | undefined)[] = [];
      const count = async () => totals.push((await list()).meta.total);
      await store([{}, {}]);
      await count();
      for (const seconds of [0, 5, 12, 15, 30, 120, 600]) {
        service.clock.advance(seconds * 1_000);
        await client.send(['+4915112345678']);
        await count();
        await count();
      }
      expect(totals).toEqual([2, ...[3, 4, 5, 6, 7, 8, 9].flatMap((total) => [total, total])]);
      expect((await list({ direction: 'received' })).meta.total).toBe(0);
      expect((await list({ direction: 'sent', deviceIds: device })).meta.total).toBe(9);
    });

    it('never shows what a deleted device sent or received', async () => {
      const gone = await client.newDevice();
      const batch = await client.send(['+4915112345678'], { deviceId: gone });
      const [kept] = await store([
        { createdAt: new Date() },
        { device: new Types.ObjectId(gone), createdAt: new Date() },
      ]);
      expect((await list()).meta.total).toBe(3);
      await client.delete(`/gateway/devices/${gone}`);
      const { data, meta } = await list();
      expect(data.map(({ _id }) => _id)).toEqual([kept]);
      expect(meta.total).toBe(1);
      expect(await walk({ limit: 1 })).toEqual([kept]);
      expect(await find({ smsBatchId: batch })).toEqual([]);
      const deleted = await expectError({ deviceIds: `${device},${gone}` }, 404, 'DEVICE_NOT_FOUND');
      expect(await expectError({ deviceIds: UNKNOWN_ID }, 404, 'DEVICE_NOT_FOUND')).toEqual(deleted);
    });
  });

  describe('search', () => {
    it('takes what was typed literally, in any case, in the text', async () => {
      const texts = [
        'Rechnung über 12.50 € (netto)',
        'match.*everything',
        'back\\slash and ^caret$ [x-z] {1,2} a|b ?+',
        'Grüße aus ÄÖÜ',
        'party 🎉👍🏽 tonight',
        '100% _under_ "quotes" \'single\'',
        'two\nlines',
      ];
      const ids = await store(texts.map((message) => ({ message })));
      const searches: [string, number[]][] = [
        ['.*', [1]],
        ['(', [0]],
        [')', [0]],
        ['\\', [2]],
        ['\\s', [2]],
        ['\\d', []],
        ['^caret$', [2]],
        ['[x-z]', [2]],
        ['[a-z]', []],
        ['{1,2}', [2]],
        ['a|b', [2]],
        ['?+', [2]],
        ['$', [2]],
        ['(?i)', []],
        ['GRÜSSE', []],
        ['grüße', [3]],
        ['äöü', [3]],
        ['ÜBER', [0]],
        ['€', [0]],
        ['🎉', [4]],
        ['👍🏽', [4]],
        ['😀', []],
        ['%', [5]],
        ['"', [5]],
        ["'", [5]],
        ['two\nlines', [6]],
        ['NETTO', [0]],
        ['e', [0, 1, 2, 3, 5, 6]],
        ['\0', []],
        ['match\0', []],
        ['%00', []],
      ];
      for (const [search, found] of searches) {
        expect([search, await find({ search })]).toEqual([search, found.map((index) => ids[index])]);
      }
      expect((await list({ search: 'e', limit: 2 })).meta).toMatchObject({ total: 6, totalPages: 3 });
      expect(await find({ search: '' })).toEqual(ids);
    });

    it("finds the other party's number, however it was typed", async () => {
      const [to, from, name] = await store([
        { recipient: '+4915112345678' },
        { direction: 'received', sender: '+493098765' },
        { direction: 'received', sender: 'My Bank (Info)' },
      ]);
      for (const search of ['+49 (151) 123-456 78', '4915112345678', ' 4915112345678', '12345', '12.34/5']) {
        expect([search, await find({ search })]).toEqual([search, [to]]);
      }
      expect(await find({ search: '0-30-9' })).toEqual([]);
      expect(await find({ search: '+49-30 98765' })).toEqual([from]);
      expect(await find({ search: 'bank (info)' })).toEqual([name]);
      expect(await find({ search: '+49' })).toEqual([to, from]);
    });

    it('never finds encrypted messages', async () => {
      const [, plain] = await store([{ encrypted: true }, { encrypted: false }]);
      expect(await find({ search: 'hello' })).toEqual([plain]);
      expect(await find({ search: '4915112345678' })).toEqual([plain]);
      expect((await list()).data.map(({ message }) => message)).toEqual(['Hello', '']);
    });

    it('that takes too long is refused, and says what to do', async () => {
      // Each letter begins like what is searched for and none goes on to its end; and k has three cases in Unicode.
      const message = `${'k'.repeat(250_000)}xb`;
      const search = `${'k'.repeat(500)}b`;
      await store([{}, ...Array.from({ length: 60 }, () => ({ message }))]);
      const error = await expectError({ search }, 400, 'SEARCH_TOO_SLOW');
      expect(error.message).toMatch(/narrow it by time/);
      expect(await find({ search, to: at(1).toISOString() })).toEqual([]);
    });
  });

  describe('paging', () => {
    it('by page', async () => {
      const ids = await store(Array.from({ length: 5 }, () => ({})));
      const pages = await Promise.all([1, 2, 3, 4, 10_000_000].map((page) => list({ page, limit: 2 })));
      const newest = ids.toReversed();
      const expected = [newest.slice(0, 2), newest.slice(2, 4), newest.slice(4), [], []];
      expect(pages.map(({ data }) => data.map(({ _id }) => _id))).toEqual(expected);
      expect(pages.map(({ meta }) => meta.hasMore)).toEqual([true, true, false, false, false]);
      expect(pages.map(({ meta }) => typeof meta.nextCursor)).toEqual([
        'string',
        'string',
        'object',
        'object',
        'object',
      ]);
      expect(pages[1]?.meta).toMatchObject({ page: 2, limit: 2, total: 5, totalPages: 3 });
    });

    it('by cursor, from any page on, in its own order', async () => {
      const ids = await store(Array.from({ length: 5 }, () => ({})));
      for (const order of ORDERS) {
        const expected = order === 'asc' ? ids : ids.toReversed();
        const { meta } = await list({ page: 2, limit: 1, order });
        const cursor = meta.nextCursor ?? '';
        const page = await list({ cursor, limit: 2 });
        expect(page.data.map(({ _id }) => _id)).toEqual(expected.slice(2, 4));
        expect(page.meta).toEqual({
          limit: 2,
          nextCursor: expect.any(String) as string,
          hasMore: true,
        });
        expect(await list({ cursor, limit: 2, order })).toEqual(page);
        expect((await list({ cursor, limit: 3 })).meta).toEqual({
          limit: 3,
          nextCursor: null,
          hasMore: false,
        });
      }
    });

    it('polls for what is new from the last cursor on', async () => {
      const ids = await store(Array.from({ length: 4 }, () => ({})));
      const { meta } = await list({ order: 'asc', from: '2026-01-01', limit: 3 });
      const later = await store([{ createdAt: at(100) }]);
      const cursor = meta.nextCursor ?? '';
      expect(await walk({ order: 'asc', from: '2026-01-01', limit: 1, cursor })).toEqual([ids[3], ...later]);
    });

    it('shows messages of one instant each once', async () => {
      const ids = await store(Array.from({ length: 25 }, () => ({ createdAt: at(0) })));
      const sorted = ids.toSorted();
      expect(await walk({ limit: 4, order: 'asc' })).toEqual(sorted);
      expect(await walk({ limit: 4 })).toEqual(sorted.toReversed());
    });

    it('takes a cursor whose message is gone, and one from the ends of time', async () => {
      const ids = await store([{}, {}]);
      const id = new Types.ObjectId();
      const from = (createdAt: Date, order: Order) => writeCursor({ createdAt, id, order });
      expect(await find({ cursor: from(at(0.5), 'asc') })).toEqual([ids[1]]);
      expect(await find({ cursor: from(new Date(-8.64e15), 'asc') })).toEqual(ids);
      expect(await find({ cursor: from(new Date(8.64e15), 'asc') })).toEqual([]);
    });
  });

  describe('10,000 messages, while more arrive', () => {
    const COUNT = 10_000;
    let owner: TestClient;
    let phone: string;
    let ids: string[];

    beforeAll(async () => {
      client = owner = await service.newAccount();
      device = phone = await client.newDevice();
      // Three of each second, so that pages begin and end within one.
      ids = await store(
        Array.from({ length: COUNT }, (_, number) => ({
          createdAt: at(Math.floor(number / 3)),
          status: number % 100 === 0 ? 'failed' : 'sent',
        })),
      );
    });
    beforeEach(() => {
      client = owner;
      device = phone;
    });

    it.each(ORDERS)('are each read once, %s', async (order) => {
      const old = new Set(ids);
      const arriving: Promise<unknown>[] = [];
      let pages = 0;
      const seen = await walk({ order, limit: 100 }, () => {
        pages++;
        // At the end, in the middle, and in the very seconds that are being read.
        const seconds = [COUNT, COUNT / 6, pages * 33, (COUNT - pages * 100) / 3];
        arriving.push(store(seconds.map((second) => ({ createdAt: at(Math.max(0, Math.floor(second))) }))));
      });
      await Promise.all(arriving);
      expect(pages).toBeGreaterThanOrEqual(100);
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.filter((id) => old.has(id)).length).toBe(COUNT);
    });

    it.each(ORDERS)('are read along an index, %s', async (order) => {
      const after = { position: { createdAt: at(1_000), id: new Types.ObjectId() }, order };
      const filters: MessageFilter[] = [
        {},
        { from: at(10), to: at(3_000) },
        { devices: [new Types.ObjectId(phone)] },
      ];
      const direction = order === 'asc' ? 1 : -1;
      for (const filter of filters) {
        for (const place of [undefined, after]) {
          const plan = await service.app
            .get<Model<Message>>(getModelToken(Message.name), { strict: false })
            .find(messageCondition(owner, filter, place))
            .sort({ createdAt: direction, _id: direction })
            .limit(51)
            .explain('queryPlanner');
          const winning = JSON.stringify(plan);
          expect(winning).toContain('IXSCAN');
          expect(winning).not.toMatch(/"stage":"(SORT|COLLSCAN)"/);
        }
      }
    });
  });

  describe('is like a plain filter over the same messages', () => {
    const TEXTS = ['Hello', 'hello (world)', 'Übung', 'a.b', '12345', '🎉 party'];
    const NUMBERS = ['+4915112345678', '+493012345', 'Bank'];
    const SEARCHES = ['hello', '(', 'ü', '.', '123', '12 345', '🎉', 'BANK', '+49', 'nothing'];

    it('for any query', async () => {
      const devices = [device, await client.newDevice(), await client.newDevice()];
      const batches = [await client.send(['123']), await client.send(['123'])];
      await service.collection('messages').deleteMany({ user: client.user });
      const gone = devices[2] ?? '';
      const stored: Stored[] = fc
        .sample(
          fc.record({
            _id: fc.noShrink(fc.constant(null)).map(() => new Types.ObjectId()),
            user: fc.constant(client.user),
            device: fc.constantFrom(...devices).map((id) => new Types.ObjectId(id)),
            direction: fc.constantFrom('sent' as const, 'received' as const),
            status: fc.constantFrom(...MESSAGE_STATUSES),
            message: fc.constantFrom(...TEXTS),
            encrypted: fc.boolean(),
            number: fc.constantFrom(...NUMBERS),
            smsBatch: fc.option(
              fc.constantFrom(...batches).map((id) => new Types.ObjectId(id)),
              { nil: undefined },
            ),
            createdAt: fc.nat(60).map(at),
          }),
          400,
        )
        .map(({ number, smsBatch, ...message }) => ({
          ...message,
          ...(message.direction === 'sent' ? { recipient: number } : { sender: number }),
          ...(smsBatch && { smsBatch }),
          updatedAt: message.createdAt,
        }));
      await service.collection('messages').insertMany(stored);
      await client.delete(`/gateway/devices/${gone}`);

      const plain = (query: PlainQuery) => {
        const matching = stored.filter((message) => {
          const text = message.message.toLowerCase();
          const number = (message.sender ?? message.recipient ?? '').toLowerCase();
          const search = query.search?.toLowerCase() ?? '';
          const bare = /^[\d +]{3,}$/.test(search) ? search.replaceAll(' ', '') : search;
          return (
            message.device.toHexString() !== gone &&
            (!query.deviceIds || query.deviceIds === message.device.toHexString()) &&
            (!query.direction || query.direction === 'all' || query.direction === message.direction) &&
            (!query.status || query.status === message.status) &&
            (!query.smsBatchId || query.smsBatchId === message.smsBatch?.toHexString()) &&
            (!query.from || message.createdAt >= new Date(query.from)) &&
            (!query.to || message.createdAt < new Date(query.to)) &&
            (!search ||
              (!message.encrypted &&
                (text.includes(search) || number.includes(search) || number.includes(bare))))
          );
        });
        const sorted = matching.toSorted(
          (a, b) =>
            a.createdAt.getTime() - b.createdAt.getTime() ||
            (a._id.toHexString() < b._id.toHexString() ? -1 : 1),
        );
        return (query.order === 'asc' ? sorted : sorted.toReversed()).map(({ _id }) => _id.toHexString());
      };

      const often = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 1, nil: undefined });
      const queries = fc.record(
        {
          order: fc.constantFrom(...ORDERS),
          from: often(fc.nat(60).map((second) => at(second).toISOString())),
          to: often(fc.nat(60).map((second) => at(second).toISOString())),
          search: often(fc.constantFrom(...SEARCHES)),
          status: often(fc.constantFrom(...MESSAGE_STATUSES)),
          direction: often(fc.constantFrom('all', 'sent', 'received')),
          smsBatchId: often(fc.constantFrom(...batches)),
          deviceIds: often(fc.constantFrom(...devices.slice(0, 2))),
        },
        { requiredKeys: [] },
      );
      await fc.assert(
        fc.asyncProperty(queries, fc.integer({ min: 5, max: 100 }), async (query, limit) => {
          // What is not given comes as undefined, and does not go into a URL.
          const given = JSON.parse(JSON.stringify(query)) as Query;
          const expected = plain(query);
          expect(await walk({ ...given, limit })).toEqual(expected);
          const { data, meta } = await list({ ...given, limit, page: 2 });
          expect(data.map(({ _id }) => _id)).toEqual(expected.slice(limit, 2 * limit));
          expect(meta.total).toBe(expected.length);
        }),
        { numRuns: 60 },
      );
    });
  });

  describe('refuses', () => {
    const cursor = writeCursor({ createdAt: at(0), id: new Types.ObjectId(UNKNOWN_ID), order: 'asc' });

    it.each<[string, string]>([
      ['limit=1.5', 'limit'],
      ['limit=1e1', 'limit'],
      ['limit=0x10', 'limit'],
      ['limit=ten', 'limit'],
      ['limit=%2010', 'limit'],
      ['limit=NaN', 'limit'],
      ['page=1.0', 'page'],
      ['page=last', 'page'],
      ['order=newest', 'order'],
      ['status=lost', 'status'],
      ['status=sent,failed', 'status'],
      ['direction=outgoing', 'direction'],
      ['type=both', 'type'],
      ['direction=sent&type=received', 'type'],
      ['direction=all&type=sent', 'type'],
      ['from=2026-01-31T09:00:00', 'from'],
      ['from=tomorrow', 'from'],
      ['from=2026-02-30', 'from'],
      ['to=2026-01-31T09:00:00', 'to'],
      ['to=1767225600000', 'to'],
      ['smsBatchId=nope', 'smsBatchId'],
      ['deviceIds=nope', 'deviceIds'],
      [`deviceIds=${UNKNOWN_ID},nope`, 'deviceIds'],
      ['cursor=nope', 'cursor'],
      [`cursor=${cursor}x`, 'cursor'],
      [`cursor=${cursor.slice(0, -1)}`, 'cursor'],
      [`cursor=${cursor}&page=2`, 'page'],
      ['deviceIds=,', 'deviceIds'],
      [`cursor=${cursor}&order=desc`, 'order'],
      [`search=${'x'.repeat(513)}`, 'search'],
    ])('%s', async (query, field) => {
      await expectError(query, 400, 'VALIDATION_FAILED', field);
    });

    it.each([
      'cursor',
      'limit',
      'page',
      'order',
      'from',
      'to',
      'search',
      'status',
      'smsBatchId',
      'direction',
      'type',
    ])('%s given twice', async (name) => {
      const good: Record<string, string> = { limit: '1', page: '1', order: 'asc', from: '2026-01-01' };
      const value = good[name] ?? 'all';
      await expectError(`${name}=${value}&${name}=${value}`, 400, 'VALIDATION_FAILED', name);
    });

    it('to let an operator through to the database', async () => {
      const [id] = await store([{}]);
      for (const query of ['$where=false', 'user=other', 'status[$gt]=']) {
        const answer = await ask(query);
        expect([query, answer.status]).toEqual([query, 200]);
        expect((answer.body as ListJson).data.map(({ _id }) => _id)).toEqual([id]);
      }
      for (const query of [
        'status[$ne]=sent',
        'search[$regex]=nothing',
        'deviceIds[$ne]=x',
        '__proto__[status]=failed',
      ]) {
        await expectError(query, 400, 'VALIDATION_FAILED', query.split('=')[0]);
      }
      const inBrackets = 'search={"$ne":null}&status={"$ne":null}';
      await expectError(inBrackets, 400, 'VALIDATION_FAILED', 'status');
    });

    it('a caller without a key', async () => {
      const nobody = new TestClient(service.url, 'mgw_thisKeyOpensNothingAtAll000000000', client.user);
      const answer = await ask({ limit: 0 }, nobody);
      expect([answer.status, answer.body]).toEqual([401, { error: 'Unauthorized', code: 'AUTH_INVALID' }]);
    });
  });

  describe('between two accounts', () => {
    it("never shows one the other's messages", async () => {
      const other = await service.newAccount();
      const theirDevice = await other.newDevice();
      const [mine] = await store([{}]);
      const [theirs] = await store([{ user: other.user, device: new Types.ObjectId(theirDevice) }]);
      expect(await find({})).toEqual([mine]);
      expect(await find({ search: 'hello' })).toEqual([mine]);
      expect((await list({}, other)).data.map(({ _id }) => _id)).toEqual([theirs]);
      const cursor = writeCursor({ createdAt: at(-1), id: new Types.ObjectId(theirs), order: 'asc' });
      expect(await find({ cursor })).toEqual([mine]);
    });

    it("answers the other's ids as ids that never were", async () => {
      const other = await service.newAccount();
      const theirDevice = await other.newDevice();
      const theirBatch = await other.send(['+4915112345678']);
      const noDevice = await expectError({ deviceIds: UNKNOWN_ID }, 404, 'DEVICE_NOT_FOUND');
      expect(await expectError({ deviceIds: theirDevice }, 404, 'DEVICE_NOT_FOUND')).toEqual(noDevice);
      await expectError({ deviceIds: `${device},${theirDevice}` }, 404, 'DEVICE_NOT_FOUND');
      const noBatch = await expectError({ smsBatchId: UNKNOWN_ID }, 404, 'BATCH_NOT_FOUND');
      expect(await expectError({ smsBatchId: theirBatch }, 404, 'BATCH_NOT_FOUND')).toEqual(noBatch);
    });

    it('knows no batch that is not accepted', async () => {
      const batch = await client.send(['+4915112345678']);
      for (const acceptance of ['accepting', 'abandoned']) {
        await service
          .collection('batches')
          .updateOne({ _id: new Types.ObjectId(batch) }, { $set: { acceptance } });
        await expectError({ smsBatchId: batch }, 404, 'BATCH_NOT_FOUND');
      }
    });
  });
});

interface PlainQuery {
  order?: string;
  from?: string;
  to?: string;
  search?: string;
  status?: string;
  direction?: string;
  smsBatchId?: string;
  deviceIds?: string;
}
