import { getConnectionToken } from '@nestjs/mongoose';
import { type Connection, Types } from 'mongoose';
import { DevicesRepository } from '../../src/devices/store/devices.repository';
import { encodeCursor } from '../../src/messages/lists/message-cursor';
import { eventually } from '../support/eventually';
import { at, MessageLists, UNKNOWN_ID } from '../support/message-lists';

const lists = new MessageLists();
beforeAll(() => lists.start());
beforeEach(() => lists.useNewAccount());
afterAll(() => lists.stop());
const { store, list, find, expectError } = lists;

describe('message list', () => {
  it('returns sent and received messages, newest first', async () => {
    const batch = await lists.client.send(['+4915112345678', '+4915112345679']);
    await lists.client.post(`/gateway/devices/${lists.device}/receive-sms`, {
      sender: '+49301234',
      message: 'Answer',
      receivedAtInMillis: Date.now(),
    });
    // The messages are compared with a second read below, so they must be dispatched first.
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
        _id: lists.device,
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
      expect(message).toEqual(await lists.client.message(lists.device, message._id));
    }
  });

  it('returns an empty list for an account without messages or devices', async () => {
    const meta = { page: 1, limit: 50, total: 0, totalPages: 0, nextCursor: null, hasMore: false };
    expect(await list()).toEqual({ data: [], meta });
    expect(await list({}, await lists.service.newAccount())).toEqual({ data: [], meta });
  });

  it('queries the database in two steps, and counts only messages that the page does not show', async () => {
    // Without a stream or sweeps, whose looks would be counted.
    lists.service.stopTimers();
    lists.client = await lists.service.newAccount();
    lists.device = await lists.client.registerDevice();
    await store([{}, {}]);
    const connection = lists.service.app.get<Connection>(getConnectionToken(), { strict: false });
    const calls: string[] = [];
    const { meta } = await list({ limit: 1 });
    const { user } = lists.client;
    connection.set('debug', (collection: string, method: string, filter?: object) => {
      // Other accounts are worked for in the background, and the connections of devices are written there.
      const isOfAccount = JSON.stringify(filter ?? {}).includes(user.toHexString());
      if (method === 'bulkWrite' || !isOfAccount) return;
      if (['devices', 'messages', 'batches'].includes(collection)) calls.push(`${collection}.${method}`);
    });
    try {
      const page = ['devices.find', 'messages.aggregate'];
      await list();
      await list({ limit: 1 });
      await list({ limit: 1, page: 2 });
      expect(calls.splice(0)).toEqual([...page, ...page, ...page]);
      await list({ limit: 1, order: 'asc' });
      // The second count is that of deleted messages.
      expect(calls.splice(0)).toEqual([...page, 'messages.countDocuments', 'messages.countDocuments']);
      await list({ cursor: meta.nextCursor ?? '' });
      expect(calls).toEqual(page);
    } finally {
      connection.set('debug', false);
    }
  });

  it('includes the device of a message uploaded right after pairing', async () => {
    const [id] = await store([{}]);
    jest.spyOn(lists.service.get(DevicesRepository), 'findForMessages').mockResolvedValueOnce([]);
    const { data } = await list();
    expect(data).toMatchObject([{ _id: id, device: { _id: lists.device } }]);
  });

  describe('isolation of accounts', () => {
    it("does not return another account's messages", async () => {
      const other = await lists.service.newAccount();
      const theirDevice = await other.newDevice();
      const [mine] = await store([{}]);
      const [theirs] = await store([{ user: other.user, device: new Types.ObjectId(theirDevice) }]);
      expect(await find({})).toEqual([mine]);
      expect(await find({ search: 'hello' })).toEqual([mine]);
      expect((await list({}, other)).data.map(({ _id }) => _id)).toEqual([theirs]);
      const cursor = encodeCursor({ createdAt: at(-1), id: new Types.ObjectId(theirs), order: 'asc' });
      expect(await find({ cursor })).toEqual([mine]);
    });

    it("treats another account's ids as unknown", async () => {
      const other = await lists.service.newAccount();
      const theirDevice = await other.newDevice();
      const theirBatch = await other.send(['+4915112345678']);
      const noDevice = await expectError({ deviceIds: UNKNOWN_ID }, 404, 'DEVICE_NOT_FOUND');
      expect(await expectError({ deviceIds: theirDevice }, 404, 'DEVICE_NOT_FOUND')).toEqual(noDevice);
      await expectError({ deviceIds: `${lists.device},${theirDevice}` }, 404, 'DEVICE_NOT_FOUND');
      const noBatch = await expectError({ smsBatchId: UNKNOWN_ID }, 404, 'BATCH_NOT_FOUND');
      expect(await expectError({ smsBatchId: theirBatch }, 404, 'BATCH_NOT_FOUND')).toEqual(noBatch);
    });

    it('treats a batch that is not accepted as unknown', async () => {
      const batch = await lists.client.send(['+4915112345678']);
      for (const acceptance of ['accepting', 'abandoned']) {
        await lists.service
          .collection('batches')
          .updateOne({ _id: new Types.ObjectId(batch) }, { $set: { acceptance } });
        await expectError({ smsBatchId: batch }, 404, 'BATCH_NOT_FOUND');
      }
    });
  });
});
