import { getModelToken } from '@nestjs/mongoose';
import { type Model, Types } from 'mongoose';
import { accountScope } from '../../src/auth/account-scope';
import { messageCondition } from '../../src/messages/lists/message-condition';
import { type Order, ORDERS, encodeCursor } from '../../src/messages/lists/message-cursor';
import type { MessageFilter } from '../../src/messages/lists/message-query';
import { Message } from '../../src/messages/message.schema';
import { TestClient } from '../support/client';
import { at, MessageLists } from '../support/message-lists';

const lists = new MessageLists();
beforeAll(() => lists.start());
beforeEach(() => lists.useNewAccount());
afterAll(() => lists.stop());
const { store, list, find, readAllPages } = lists;

describe('message list paging', () => {
  it('pages by page number', async () => {
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

  it('continues by cursor from any page, in the order of the cursor', async () => {
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

  it('returns new messages when polled with the last cursor', async () => {
    const ids = await store(Array.from({ length: 4 }, () => ({})));
    const { meta } = await list({ order: 'asc', from: '2026-01-01', limit: 3 });
    const later = await store([{ createdAt: at(100) }]);
    const cursor = meta.nextCursor ?? '';
    expect(await readAllPages({ order: 'asc', from: '2026-01-01', limit: 1, cursor })).toEqual([
      ids[3],
      ...later,
    ]);
  });

  it('returns messages with the same creation time once each', async () => {
    const ids = await store(Array.from({ length: 25 }, () => ({ createdAt: at(0) })));
    const sorted = ids.toSorted();
    expect(await readAllPages({ limit: 4, order: 'asc' })).toEqual(sorted);
    expect(await readAllPages({ limit: 4 })).toEqual(sorted.toReversed());
  });

  it('accepts a cursor of a removed message and cursors at the limits of time', async () => {
    const ids = await store([{}, {}]);
    const id = new Types.ObjectId();
    const from = (createdAt: Date, order: Order) => encodeCursor({ createdAt, id, order });
    expect(await find({ cursor: from(at(0.5), 'asc') })).toEqual([ids[1]]);
    expect(await find({ cursor: from(new Date(-8.64e15), 'asc') })).toEqual(ids);
    expect(await find({ cursor: from(new Date(8.64e15), 'asc') })).toEqual([]);
  });

  describe('10,000 messages while more arrive', () => {
    const COUNT = 10_000;
    let owner: TestClient;
    let phone: string;
    let ids: string[];

    beforeAll(async () => {
      lists.client = owner = await lists.service.newAccount();
      lists.device = phone = await lists.client.newDevice();
      // Three messages per second, so that page boundaries fall between equal times.
      ids = await store(
        Array.from({ length: COUNT }, (_, number) => ({
          createdAt: at(Math.floor(number / 3)),
          status: number % 100 === 0 ? 'failed' : 'sent',
        })),
      );
    });
    beforeEach(() => {
      lists.client = owner;
      lists.device = phone;
    });

    it.each(ORDERS)('returns each message once, order %s', async (order) => {
      const old = new Set(ids);
      const arriving: Promise<unknown>[] = [];
      let pages = 0;
      const seen = await readAllPages({ order, limit: 100 }, () => {
        pages++;
        // At the end, in the middle, and at the times of the current page.
        const seconds = [COUNT, COUNT / 6, pages * 33, (COUNT - pages * 100) / 3];
        arriving.push(store(seconds.map((second) => ({ createdAt: at(Math.max(0, Math.floor(second))) }))));
      });
      await Promise.all(arriving);
      expect(pages).toBeGreaterThanOrEqual(100);
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.filter((id) => old.has(id)).length).toBe(COUNT);
    });

    it.each(ORDERS)('uses an index without sorting, order %s', async (order) => {
      const after = { position: { createdAt: at(1_000), id: new Types.ObjectId() }, order };
      const filters: MessageFilter[] = [
        {},
        { from: at(10), to: at(3_000) },
        { devices: [new Types.ObjectId(phone)] },
      ];
      const direction = order === 'asc' ? 1 : -1;
      for (const filter of filters) {
        for (const place of [undefined, after]) {
          const plan = await lists.service.app
            .get<Model<Message>>(getModelToken(Message.name), { strict: false })
            .find(messageCondition(accountScope(owner.user), filter, place))
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
});
