import { Types } from 'mongoose';
import { contactNumbers } from '../../src/migrations/0003-contact-numbers';
import { MigrationInterrupted } from '../../src/migrations/migration';
import { MigrationsRepository } from '../../src/migrations/migrations.repository';
import { TestService } from '../support/service';

const DAY = new Date('2026-01-31T09:00:00Z');

describe('migration 0003-contact-numbers', () => {
  let service: TestService;

  beforeEach(async () => {
    service = await TestService.start({ environment: { APP_ROLES: 'api' } });
    await service.collection('accounts').deleteMany({});
  });
  afterEach(() => service.stop());

  const messages = () => service.collection('messages');
  const database = () => service.get(MigrationsRepository).db;
  const run = (checkpoint: () => void = () => undefined) =>
    contactNumbers.run({ db: database(), checkpoint });

  async function store(account: object, device: object, stored: readonly object[]) {
    const [user, phone] = [new Types.ObjectId(), new Types.ObjectId()];
    await service
      .collection('accounts')
      .insertOne({ _id: user, email: `${user.toHexString()}@example.com`, ...account });
    await service.collection('devices').insertOne({ _id: phone, user, ...device });
    const times = { createdAt: DAY, updatedAt: DAY };
    await messages().insertMany(stored.map((each) => ({ user, device: phone, ...times, ...each })));
    return user;
  }
  const contacts = async (user: Types.ObjectId) =>
    (await messages().find({ user }).sort({ _id: 1 }).toArray()).map(
      ({ contactNumber }) => contactNumber as unknown,
    );
  const sent = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      direction: 'sent',
      recipient: `0151${String(index).padStart(7, '0')}`,
    }));

  it('reads numbers with the country of the account, the SIM, or with their +', async () => {
    const german = await store({ defaultCountry: 'DE' }, {}, [
      { direction: 'sent', recipient: '0151 12345678' },
      { direction: 'received', sender: '+44 7700 900123' },
      { direction: 'received', sender: 'BANK' },
      { direction: 'sent', deletedAt: DAY },
      { direction: 'received', sender: 5 },
      { direction: 'received', sender: 'x'.repeat(100_000) },
      { direction: 'sent', recipient: '0151 12345678', contactNumber: '' },
    ]);
    const sims = [
      { subscriptionId: 1, countryIso: 'gb' },
      { subscriptionId: 2, countryIso: 'fr' },
    ];
    const withSims = await store({}, { simInfo: { lastUpdated: DAY, sims } }, [
      { direction: 'sent', recipient: '07700900123' },
      { direction: 'sent', recipient: '0612345678', simSubscriptionId: 2 },
    ]);
    const unknown = await store({}, {}, [
      { direction: 'sent', recipient: '07700900123' },
      { direction: 'sent', recipient: '+44 07700900123', device: new Types.ObjectId() },
    ]);
    const before = await messages().find().sort({ _id: 1 }).toArray();
    await run();
    expect(await contacts(german)).toEqual([
      '+4915112345678',
      '+447700900123',
      'BANK',
      '',
      '',
      'x'.repeat(256),
      '',
    ]);
    expect(await contacts(withSims)).toEqual(['+447700900123', '+33612345678']);
    expect(await contacts(unknown)).toEqual(['07700900123', '+447700900123']);
    const after = await messages().find().sort({ _id: 1 }).toArray();
    expect(after.map(({ contactNumber: _, ...rest }) => rest)).toEqual(
      before.map(({ contactNumber: _, ...rest }) => rest),
    );
  });

  it('continues where it was interrupted, and may run twice at once', async () => {
    const users = [
      await store({ defaultCountry: 'DE' }, {}, sent(1_200)),
      await store({ defaultCountry: 'DE' }, {}, sent(700)),
    ];
    let checkpoints = 0;
    const interrupted = run(() => {
      checkpoints += 1;
      if (checkpoints > 2) throw new MigrationInterrupted('test', 'test');
    });
    await expect(interrupted).rejects.toThrow(MigrationInterrupted);
    const done = (await Promise.all(users.map(contacts))).flat().filter((contact) => contact !== undefined);
    expect(done).toHaveLength(1_000);
    await Promise.all([run(), run()]);
    for (const user of users) {
      const found = await contacts(user);
      expect(found).toEqual(
        Array.from({ length: found.length }, (_, index) => `+49151${String(index).padStart(7, '0')}`),
      );
    }
  });

  it('leaves out messages that are deleted meanwhile', async () => {
    const user = await store({ defaultCountry: 'DE' }, {}, sent(1_200));
    const deleted: unknown[] = [];
    // As `MessageDeletionRepository` does, between reading a page and writing it.
    const { db } = service.get(MigrationsRepository);
    const collection = db.collection.bind(db);
    jest.spyOn(db, 'collection').mockImplementation((name: string) => {
      const opened = collection(name);
      const updateMany = opened.updateMany.bind(opened);
      opened.updateMany = async (...args) => {
        const message = await messages().findOne({ user, contactNumber: null });
        const hidden = { $set: { contactNumber: '', deletedAt: DAY }, $unset: { recipient: 1 } } as const;
        await messages().updateOne({ _id: message?._id }, hidden);
        deleted.push(message?._id);
        return updateMany(...args);
      };
      return opened;
    });
    await contactNumbers.run({ db, checkpoint: () => undefined });
    expect(deleted).toHaveLength(3);
    const hidden = await messages()
      .find({ _id: { $in: deleted as Types.ObjectId[] } })
      .toArray();
    expect(hidden.map(({ contactNumber }) => contactNumber as unknown)).toEqual(['', '', '']);
    expect((await contacts(user)).filter((contact) => contact === undefined)).toEqual([]);
  });
});
