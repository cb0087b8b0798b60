import { Types } from 'mongoose';
import { LIST_HORIZON_MS } from '../../src/messages/list-horizon';
import { MESSAGE_STATUSES } from '../../src/messages/message-status';
import { MessageLists, UNKNOWN_ID } from '../support/message-lists';

const lists = new MessageLists();
beforeAll(() => lists.start());
beforeEach(() => lists.useNewAccount());
afterAll(() => lists.stop());
const { store, list, find, readAllPages, expectError } = lists;

describe('message list filters', () => {
  it('filters by direction and its deprecated alias', async () => {
    const [sent, received] = await store([{}, { direction: 'received', status: 'received' }]);
    for (const name of ['direction', 'type']) {
      expect(await find({ [name]: 'all' })).toEqual([sent, received]);
      expect(await find({ [name]: 'sent' })).toEqual([sent]);
      expect(await find({ [name]: 'received' })).toEqual([received]);
    }
    expect(await find({ direction: 'sent', type: 'sent' })).toEqual([sent]);
  });

  it('tells cancelled messages apart from failed ones', async () => {
    const [failed, cancelled, sent] = await store([
      { status: 'failed', errorCode: '4' },
      { status: 'failed', errorCode: 'CANCELLED' },
      { status: 'sent' },
    ]);
    expect(await find({ status: 'failed' })).toEqual([failed, cancelled]);
    expect(await find({ status: 'failed', cancelled: 'false' })).toEqual([failed]);
    expect(await find({ cancelled: 'true' })).toEqual([cancelled]);
    expect(await find({ status: 'sent', cancelled: 'true' })).toEqual([]);
    expect(await find({ cancelled: 'false' })).toEqual([failed, sent]);
  });

  it('filters by status and treats a missing status as unknown', async () => {
    const ids = await store([...MESSAGE_STATUSES.map((status) => ({ status })), { status: undefined }]);
    await lists.service
      .collection('messages')
      .updateOne({ _id: new Types.ObjectId(ids.at(-1)) }, { $unset: { status: 1 } });
    for (const [index, status] of MESSAGE_STATUSES.entries()) {
      const expected = status === 'unknown' ? [ids[index], ids.at(-1)] : [ids[index]];
      expect(await find({ status })).toEqual(expected);
    }
  });

  it('filters by creation time, from inclusive, to exclusive', async () => {
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

  it('filters by batch', async () => {
    await lists.client.send(['+4915100000001']);
    const batch = await lists.client.send(['+4915100000002', '+4915100000003']);
    const { data, meta } = await list({ smsBatchId: batch });
    expect(data.map(({ recipient }) => recipient).sort()).toEqual(['+4915100000002', '+4915100000003']);
    expect(meta.total).toBe(2);
    expect(await readAllPages({ smsBatchId: batch, limit: 1, order: 'asc' })).toHaveLength(2);
    expect(await find({ smsBatchId: batch, direction: 'received' })).toEqual([]);
  });

  it('filters by one or several devices', async () => {
    const others = [await lists.client.newDevice(), await lists.client.newDevice()];
    const [first, second, third] = await store(
      [lists.device, ...others].map((id) => ({ device: new Types.ObjectId(id) })),
    );
    expect(await find({ deviceIds: lists.device })).toEqual([first]);
    expect(await find({ deviceIds: others.join(',') })).toEqual([second, third]);
    expect(await find({ deviceIds: `${lists.device}, ${others[1] ?? ''},${lists.device}` })).toEqual([
      first,
      third,
    ]);
    expect(await find({})).toEqual([first, second, third]);
  });

  it('counts new messages in the total before and after the cached count is extended', async () => {
    // The first page shows some, all or none of the new messages; a last page shows its total.
    const pages: Record<string, string | number>[] = [
      { limit: 1 },
      { limit: 3 },
      { limit: 1, page: 2 },
      { limit: 1, order: 'asc' },
      {},
    ];
    const totals: (number | undefined)[] = [];
    const count = async () => {
      const metas = await Promise.all(pages.map(async (page) => (await list(page)).meta));
      expect(new Set(metas.map(({ total }) => total)).size).toBe(1);
      totals.push(metas[0]?.total);
    };
    await store([{}, {}]);
    await count();
    for (const seconds of [0, 5, 12, 15, 30, 120, 600]) {
      lists.service.clock.advance(seconds * 1_000);
      await lists.client.send(['+4915112345678']);
      // In ascending order, lists end this long before now.
      lists.service.clock.advance(LIST_HORIZON_MS + 1);
      await count();
      await count();
    }
    expect(totals).toEqual([2, ...[3, 4, 5, 6, 7, 8, 9].flatMap((total) => [total, total])]);
    expect((await list({ direction: 'received' })).meta.total).toBe(0);
    expect((await list({ direction: 'sent', deviceIds: lists.device })).meta.total).toBe(9);
  });

  it('excludes the messages of a deleted device', async () => {
    const gone = await lists.client.newDevice();
    const batch = await lists.client.send(['+4915112345678'], { deviceId: gone });
    const [kept] = await store([
      { createdAt: new Date() },
      { device: new Types.ObjectId(gone), createdAt: new Date() },
    ]);
    expect((await list()).meta.total).toBe(3);
    await lists.client.delete(`/gateway/devices/${gone}`);
    const { data, meta } = await list();
    expect(data.map(({ _id }) => _id)).toEqual([kept]);
    expect(meta.total).toBe(1);
    expect(await readAllPages({ limit: 1 })).toEqual([kept]);
    expect(await find({ smsBatchId: batch })).toEqual([]);
    const deleted = await expectError({ deviceIds: `${lists.device},${gone}` }, 404, 'DEVICE_NOT_FOUND');
    expect(await expectError({ deviceIds: UNKNOWN_ID }, 404, 'DEVICE_NOT_FOUND')).toEqual(deleted);

    lists.service.clock.advance(LIST_HORIZON_MS + 1);
    const includeDeletedDevices = 'true';
    const all = await list({ includeDeletedDevices });
    expect([all.data.length, all.meta.total]).toEqual([3, 3]);
    expect(await readAllPages({ limit: 1, includeDeletedDevices })).toHaveLength(3);
    expect(await find({ smsBatchId: batch, includeDeletedDevices })).toHaveLength(1);
    expect(await find({ deviceIds: `${lists.device},${gone}`, includeDeletedDevices })).toHaveLength(3);
    await expectError({ deviceIds: UNKNOWN_ID, includeDeletedDevices }, 404, 'DEVICE_NOT_FOUND');
    await expectError({ includeDeletedDevices: '1' }, 400, 'VALIDATION_FAILED');
  });

  it('excludes the messages of a device that is deleted with them, also where deleted devices are included', async () => {
    const gone = await lists.client.newDevice();
    const [kept] = await store([
      { createdAt: new Date() },
      { device: new Types.ObjectId(gone), createdAt: new Date(), status: 'delivered' },
    ]);
    const answer = await lists.client.delete(`/gateway/devices/${gone}?deleteMessages=true`);
    expect(answer.status).toBe(200);
    const { data } = await list({ includeDeletedDevices: 'true' });
    expect(data.map(({ _id }) => _id)).toEqual([kept]);
    await expectError({ deviceIds: gone, includeDeletedDevices: 'true' }, 404, 'DEVICE_NOT_FOUND');
  });
});
