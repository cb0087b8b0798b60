import fc from 'fast-check';
import { Types } from 'mongoose';
import { ORDERS } from '../../src/messages/lists/message-cursor';
import { MESSAGE_STATUSES } from '../../src/messages/message-status';
import { at, type ListQuery, MessageLists, type StoredMessage } from '../support/message-lists';

const lists = new MessageLists();
beforeAll(() => lists.start());
beforeEach(() => lists.useNewAccount());
afterAll(() => lists.stop());
const { list, readAllPages } = lists;

describe('message list against an in-memory filter', () => {
  const TEXTS = ['Hello', 'hello (world)', 'Übung', 'a.b', '12345', '🎉 party'];
  const NUMBERS = ['+4915112345678', '+493012345', 'Bank'];
  const SEARCHES = ['hello', '(', 'ü', '.', '123', '12 345', '🎉', 'BANK', '+49', 'nothing'];

  it('returns the same messages for random queries', async () => {
    const devices = [lists.device, await lists.client.newDevice(), await lists.client.newDevice()];
    const batches = [await lists.client.send(['123']), await lists.client.send(['123'])];
    await lists.service.collection('messages').deleteMany({ user: lists.client.user });
    const deleted = devices[2] ?? '';
    const stored: StoredMessage[] = fc
      .sample(
        fc.record({
          _id: fc.noShrink(fc.constant(null)).map(() => new Types.ObjectId()),
          user: fc.constant(lists.client.user),
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
        peerNumber: number,
        ...(smsBatch && { smsBatch }),
        updatedAt: message.createdAt,
      }));
    await lists.service.collection('messages').insertMany(stored);
    await lists.client.delete(`/gateway/devices/${deleted}`);

    const filterInMemory = (query: ModelQuery) => {
      const matching = stored.filter((message) => {
        const text = message.message.toLowerCase();
        const number = (message.sender ?? message.recipient ?? '').toLowerCase();
        const search = query.search?.toLowerCase() ?? '';
        const digits = /^[\d +]{3,}$/.test(search) ? search.replaceAll(' ', '') : search;
        return (
          message.device.toHexString() !== deleted &&
          (!query.deviceIds || query.deviceIds === message.device.toHexString()) &&
          (!query.direction || query.direction === 'all' || query.direction === message.direction) &&
          (!query.status || query.status === message.status) &&
          (!query.smsBatchId || query.smsBatchId === message.smsBatch?.toHexString()) &&
          (!query.from || message.createdAt >= new Date(query.from)) &&
          (!query.to || message.createdAt < new Date(query.to)) &&
          (!search ||
            (!message.encrypted &&
              (text.includes(search) || number.includes(search) || number.includes(digits))))
        );
      });
      const sorted = matching.toSorted(
        (a, b) =>
          a.createdAt.getTime() - b.createdAt.getTime() ||
          (a._id.toHexString() < b._id.toHexString() ? -1 : 1),
      );
      return (query.order === 'asc' ? sorted : sorted.toReversed()).map(({ _id }) => _id.toHexString());
    };

    const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 1, nil: undefined });
    const queries = fc.record(
      {
        order: fc.constantFrom(...ORDERS),
        from: optional(fc.nat(60).map((second) => at(second).toISOString())),
        to: optional(fc.nat(60).map((second) => at(second).toISOString())),
        search: optional(fc.constantFrom(...SEARCHES)),
        status: optional(fc.constantFrom(...MESSAGE_STATUSES)),
        direction: optional(fc.constantFrom('all', 'sent', 'received')),
        smsBatchId: optional(fc.constantFrom(...batches)),
        deviceIds: optional(fc.constantFrom(...devices.slice(0, 2))),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(queries, fc.integer({ min: 5, max: 100 }), async (query, limit) => {
        // Removes undefined values, which cannot be sent in a URL.
        const given = JSON.parse(JSON.stringify(query)) as ListQuery;
        const expected = filterInMemory(query);
        expect(await readAllPages({ ...given, limit })).toEqual(expected);
        const { data, meta } = await list({ ...given, limit, page: 2 });
        expect(data.map(({ _id }) => _id)).toEqual(expected.slice(limit, 2 * limit));
        expect(meta.total).toBe(expected.length);
      }),
      { numRuns: 60 },
    );
  });
});

interface ModelQuery {
  order?: string;
  from?: string;
  to?: string;
  search?: string;
  status?: string;
  direction?: string;
  smsBatchId?: string;
  deviceIds?: string;
}
