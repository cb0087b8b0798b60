import { Types } from 'mongoose';
import { conversations } from '../../src/migrations/0004-conversations';
import { MigrationsRepository } from '../../src/migrations/migrations.repository';
import { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { TestService } from '../support/service';

const DAY = Date.parse('2026-01-31T09:00:00Z');

describe('migration 0004-conversations', () => {
  let service: TestService;
  let client: TestClient;
  let device: string;

  beforeAll(async () => {
    service = await TestService.start({ environment: { APP_ROLES: 'api' } });
    client = await service.newAccount();
    device = await client.newDevice();
  });
  afterAll(() => service.stop());

  const run = (checkpoint: () => void = () => undefined) =>
    conversations.run({ db: service.get(MigrationsRepository).db, checkpoint });
  const list = async (query = '') =>
    ((await client.get(`/gateway/conversations?limit=100${query}`)).body as { data: object[] }).data;

  it('leaves bulk messages out', async () => {
    const by = await service.newAccount();
    const newBatch = (recipientCount: number) => ({
      _id: new Types.ObjectId(),
      user: by.user,
      recipientCount,
      createdAt: new Date(DAY),
    });
    const [few, many] = [newBatch(20), newBatch(21)];
    const newMessage = (batch: { _id: Types.ObjectId }, contactNumber: string) => ({
      _id: new Types.ObjectId(),
      user: by.user,
      device: new Types.ObjectId(device),
      direction: 'sent',
      message: 'x',
      contactNumber,
      smsBatch: batch._id,
      createdAt: new Date(DAY),
    });
    await service.collection('batches').insertMany([few, many] as never[]);
    await service
      .collection('messages')
      .insertMany([
        newMessage(few, '+4915700000001'),
        newMessage(many, '+4915700000001'),
        newMessage(many, '+4915700000002'),
      ] as never[]);
    await run();
    const rows = await service.collection('conversations').find({ user: by.user }).toArray();
    expect(rows.map(({ number }) => number as string)).toEqual(['+4915700000001']);
  });

  it('stores them as read, continues after an interruption, and keeps those that began since', async () => {
    const numbers = Array.from({ length: 230 }, (_, index) => `+4915${1_000_000 + index}`);
    const old = numbers.flatMap((contactNumber, index) =>
      [0, 1].map((n) => {
        const at = new Date(DAY + index * 1_000 + n);
        return {
          _id: new Types.ObjectId(),
          user: client.user,
          device: new Types.ObjectId(device),
          direction: n ? 'received' : 'sent',
          status: n ? 'received' : 'sent',
          message: n ? 'new' : 'old',
          contactNumber,
          createdAt: at,
          updatedAt: at,
          ...(n && { countedAt: at }),
        };
      }),
    );
    await service
      .collection('messages')
      .insertMany([
        ...old,
        { ...old[0], _id: new Types.ObjectId(), contactNumber: '', deletedAt: new Date(DAY) },
      ] as never[]);
    const upload = { sender: numbers[3], message: 'since', receivedAtInMillis: Date.now() };
    await client.post(`/gateway/devices/${device}/receive-sms`, upload);
    await eventually(
      () => list(),
      ({ length }) => length === 1,
    );

    let checkpoints = 0;
    const interrupted = run(() => {
      if (++checkpoints === 3) throw new Error('interrupted');
    });
    await expect(interrupted).rejects.toThrow('interrupted');
    await Promise.all([run(), run()]);
    const rows = await service.collection('conversations').find({ user: client.user }).toArray();
    expect(rows.map(({ number }) => number as string).sort()).toEqual(numbers);
    const listed = await list();
    expect(listed[0]).toMatchObject({
      number: numbers[3],
      unreadCount: 1,
      lastMessage: { message: 'since' },
    });
    expect(listed.slice(1)).toHaveLength(99);
    expect(await list('&unanswered=true')).toEqual(listed);
    for (const each of listed.slice(1))
      expect(each).toMatchObject({ unreadCount: 0, unanswered: true, lastMessage: { message: 'new' } });
    await client.post(`/gateway/devices/${device}/receive-sms`, {
      ...upload,
      sender: numbers[9],
      message: 'next',
    });
    await eventually(
      () => list(),
      ([first]) => (first as { number: string }).number === numbers[9],
    );
    expect((await list())[0]).toMatchObject({ unreadCount: 1 });
  });
});
