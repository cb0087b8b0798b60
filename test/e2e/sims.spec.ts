import { Types } from 'mongoose';
import { SimsRepository } from '../../src/devices/sims/sims.repository';
import { TestClient } from '../support/client';
import { TestService } from '../support/service';

const ICC = '8949020000000000001';
const OTHER_ICC = '8949020000000000002';
const MINUTE = 60_000;

interface SimJson {
  readonly _id: string;
  readonly device?: string;
  readonly subscriptionId?: number;
  readonly [field: string]: unknown;
}

describe('SIMs', () => {
  let service: TestService;
  let client: TestClient;
  let device: string;

  beforeAll(async () => {
    service = await TestService.start({ environment: { APP_ROLES: 'api' } });
  });
  beforeEach(async () => {
    client = await service.newAccount();
    device = await client.newDevice();
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => service.stop());

  const report = async (sims: object[], phone = device, other: object = {}) => {
    const answer = await client.post(`/gateway/devices/${phone}/heartbeat`, {
      simInfo: { lastUpdated: 1, sims },
      ...other,
    });
    expect(answer.status).toBe(200);
  };
  const list = async (): Promise<SimJson[]> =>
    ((await client.get('/gateway/sims')).body as { data: SimJson[] }).data;
  const only = async (): Promise<SimJson> => {
    const [sim, ...others] = await list();
    if (!sim || others.length > 0) throw new Error(`There are ${others.length + 1} SIMs`);
    return sim;
  };
  const change = async (id: string, body: object) => {
    const answer = await client.patch(`/gateway/sims/${id}`, body);
    expect(answer.body).not.toHaveProperty('error');
    return (answer.body as { data: SimJson }).data;
  };

  it('are made from heartbeats, registrations and updates, once', async () => {
    const sims = [
      {
        subscriptionId: 2,
        simSlotIndex: 1,
        iccId: `${ICC}F`,
        carrierName: 'Example Mobile',
        countryIso: 'de',
      },
      { subscriptionId: 1, simSlotIndex: 0, iccId: '' },
    ];
    await Promise.all(Array.from({ length: 8 }, () => report(sims)));
    const [first, second] = await list();
    expect(first).toEqual({
      _id: expect.any(String) as string,
      device,
      subscriptionId: 1,
      enabled: true,
      health: { state: 'closed', failureRate: 0.02 },
      limits: {},
      usage: {},
    });
    expect(second).toMatchObject({
      iccId: ICC,
      carrierName: 'Example Mobile',
      countryIso: 'de',
      subscriptionId: 2,
    });
    expect(await list()).toHaveLength(2);
    await client.patch(`/gateway/devices/${device}`, { simInfo: { sims: sims.slice(0, 1) } });
    const other = await client.newDevice({ simInfo: { sims: [{ subscriptionId: 1 }] } });
    expect((await list()).map((sim) => [sim.device, sim.subscriptionId])).toEqual(
      expect.arrayContaining([
        [device, undefined],
        [device, 2],
        [other, 1],
      ]) as unknown,
    );
  });

  it('are not written when a heartbeat tells nothing new', async () => {
    const sims = [{ subscriptionId: 1, iccId: ICC, carrierName: 'Example' }];
    await report(sims);
    const repository = service.get(SimsRepository);
    const writes = (['storeReport', 'insert', 'markAbsent'] as const).map((method) =>
      jest.spyOn(repository, method),
    );
    await report(sims);
    await report(sims);
    expect(writes.map(({ mock }) => mock.calls.length)).toEqual([0, 0, 0]);
    await report([{ ...sims[0], carrierName: 'Renamed' }]);
    expect(await only()).toMatchObject({ carrierName: 'Renamed' });
  });

  it('have one of its own for a phone that reports none, which its first SIM continues', async () => {
    const own = await only();
    expect(own).toMatchObject({ device, enabled: true });
    expect(own).not.toHaveProperty('subscriptionId');
    await change(own._id, { label: 'Work', limits: { messagesPerDay: 5 } });
    await report([{ subscriptionId: 1, iccId: ICC }]);
    expect(await only()).toMatchObject({ _id: own._id, subscriptionId: 1, iccId: ICC, label: 'Work' });
  });

  it('are made of what a report stored that was interrupted', async () => {
    await service
      .collection('devices')
      .updateOne(
        { _id: new Types.ObjectId(device) },
        { $set: { simInfo: { lastUpdated: new Date(), sims: [{ subscriptionId: 4, iccId: ICC }] } } },
      );
    expect(await Promise.all([only(), only()])).toMatchObject([{ subscriptionId: 4 }, { subscriptionId: 4 }]);
    await report([{ subscriptionId: 4, iccId: ICC }]);
    expect(await only()).toMatchObject({ subscriptionId: 4, iccId: ICC });
  });

  it('are where the latest report saw them, with their settings', async () => {
    const other = await client.newDevice();
    await report([{ subscriptionId: 1, iccId: ICC }]);
    const sim = (await list()).find(({ iccId }) => iccId === ICC);
    await change(sim?._id ?? '', { label: 'Work', phoneNumber: '+49 151 12345678' });
    await report([{ subscriptionId: 7, iccId: ICC }], other);
    const moved = (await client.get(`/gateway/sims/${sim?._id}`)).body as { data: SimJson };
    expect(moved.data).toMatchObject({
      device: other,
      subscriptionId: 7,
      label: 'Work',
      phoneNumber: '+4915112345678',
    });
    await report([]);
    expect((await list()).filter(({ iccId }) => iccId === ICC)).toEqual([moved.data]);
    // Reports of the first phone that are processed late change nothing.
    service.clock.advance(-MINUTE);
    await report([{ subscriptionId: 1, iccId: ICC }]);
    service.clock.advance(MINUTE);
    expect((await list()).find(({ iccId }) => iccId === ICC)?.device).toBe(other);
  });

  it('are merged when their ICCID appears', async () => {
    await report([{ subscriptionId: 1 }]);
    const first = await only();
    await change(first._id, { label: 'Work' });
    await report([{ subscriptionId: 1, iccId: ICC }]);
    expect(await only()).toMatchObject({ _id: first._id, iccId: ICC });
    const other = await client.newDevice();
    await report([{ subscriptionId: 1 }], other);
    const duplicate = (await list()).find((sim) => sim.device === other);
    await change(duplicate?._id ?? '', { phoneNumber: '+4915112345678', limits: { messagesPerDay: 3 } });
    await Promise.all([1, 2, 3].map(() => report([{ subscriptionId: 1, iccId: ICC }], other)));
    expect((await list()).filter(({ iccId }) => iccId === ICC)).toMatchObject([
      {
        _id: first._id,
        device: other,
        label: 'Work',
        phoneNumber: '+4915112345678',
        limits: { messagesPerDay: 3 },
      },
    ]);
    expect((await client.get(`/gateway/sims/${duplicate?._id}`)).status).toBe(404);
  });

  it('are changed by their owner: null removes', async () => {
    await report([{ subscriptionId: 1 }], device, { timezone: 'Asia/Kathmandu' });
    const { _id } = await only();
    const limits = {
      partsPerMinute: 20,
      messagesPerHour: 60,
      messagesPerDay: 200,
      messagesPerMonth: 3_000,
      recipientsPerMonth: 250,
      monthStartsOn: 31,
    };
    const changed = await change(_id, { label: 'Work', phoneNumber: '0151 123', enabled: false, limits });
    expect(changed).toMatchObject({ label: 'Work', phoneNumber: '0151123', enabled: false });
    expect(changed.limits).toEqual({ ...limits, timeZone: 'Asia/Kathmandu' });
    expect(changed.usage).toEqual({
      partsPerMinute: { used: 0 },
      messagesPerHour: { used: 0 },
      messagesPerDay: { used: 0 },
      messagesPerMonth: { used: 0 },
      recipientsPerMonth: { used: 0 },
    });
    const less = await change(_id, {
      label: null,
      phoneNumber: null,
      limits: { messagesPerDay: null, timeZone: 'UTC' },
    });
    expect(less).not.toHaveProperty('label');
    expect(less).not.toHaveProperty('phoneNumber');
    expect(less.limits).toEqual({ ...limits, messagesPerDay: undefined, timeZone: 'UTC' });
    const none = await change(_id, { limits: null, enabled: true });
    expect(none).toMatchObject({ enabled: true, limits: {}, usage: {} });
  });

  it.each([
    [{ label: 'x'.repeat(65) }, 'label'],
    [{ label: 'a\u0000b' }, 'label'],
    [{ phoneNumber: 'abc' }, 'phoneNumber'],
    [{ enabled: 'no' }, 'enabled'],
    [{ limits: 5 }, 'limits'],
    [{ limits: { messagesPerDay: 0 } }, 'limits.messagesPerDay'],
    [{ limits: { messagesPerDay: 1.5 } }, 'limits.messagesPerDay'],
    [{ limits: { messagesPerMonth: 1e9 } }, 'limits.messagesPerMonth'],
    [{ limits: { recipientsPerMonth: 1_001 } }, 'limits.recipientsPerMonth'],
    [{ limits: { partsPerMinute: 1_001 } }, 'limits.partsPerMinute'],
    [{ limits: { monthStartsOn: 32 } }, 'limits.monthStartsOn'],
    [{ limits: { timeZone: 'Nowhere/City' } }, 'limits.timeZone'],
    [{ limits: { mesagesPerDay: 5 } }, 'limits.mesagesPerDay'],
  ])('refuse %j, naming %s, and change nothing', async (body, field) => {
    const before = await only();
    const answer = await client.patch(`/gateway/sims/${before._id}`, { ...body });
    expect(answer.status).toBe(400);
    expect((answer.body as { details: { field: string }[] }).details.map((each) => each.field)).toEqual([
      field,
    ]);
    expect(await only()).toEqual(before);
  });

  it('belong to their account', async () => {
    const { _id } = await only();
    const stranger = await service.newAccount();
    expect((await stranger.get(`/gateway/sims/${_id}`)).status).toBe(404);
    expect((await stranger.patch(`/gateway/sims/${_id}`, { label: 'mine' })).status).toBe(404);
    expect(((await stranger.get('/gateway/sims')).body as { data: SimJson[] }).data).toEqual([]);
    await stranger.newDevice({ simInfo: { sims: [{ subscriptionId: 1, iccId: ICC }] } });
    await report([{ subscriptionId: 1, iccId: ICC }]);
    expect(await only()).toMatchObject({ _id, device });
  });

  it('leave with their phone; a card can appear in another one', async () => {
    await report([{ subscriptionId: 1, iccId: ICC }, { subscriptionId: 2 }]);
    const card = (await list()).find(({ iccId }) => iccId === ICC);
    await client.delete(`/gateway/devices/${device}`);
    expect(await list()).toMatchObject([{ _id: card?._id }]);
    expect(await only()).not.toHaveProperty('device');
    const other = await client.newDevice({ simInfo: { sims: [{ subscriptionId: 5, iccId: ICC }] } });
    expect(await only()).toMatchObject({ _id: card?._id, device: other, subscriptionId: 5 });
  });

  it('are listed by phone, the oldest first, and by slot; those in no phone are last', async () => {
    const removed = await client.newDevice({ simInfo: { sims: [{ subscriptionId: 9, iccId: ICC }] } });
    const newer = await client.newDevice({ simInfo: { sims: [{ subscriptionId: 3 }] } });
    await report([
      { subscriptionId: 2, simSlotIndex: 1 },
      { subscriptionId: 1, simSlotIndex: 0 },
    ]);
    await client.delete(`/gateway/devices/${removed}`);
    expect((await list()).map((sim) => [sim.device, sim.subscriptionId])).toEqual([
      [device, 1],
      [device, 2],
      [newer, 3],
      [undefined, undefined],
    ]);
  });

  it('of a phone that invents them are few: 16 new ones in an hour, and 16 that are no longer in it', async () => {
    const user = client.user;
    let made = 0;
    const invented = (count: number) =>
      Array.from({ length: count }, (_, slot) => ({
        subscriptionId: ++made,
        simSlotIndex: slot,
        iccId: `8949020${1_000_000_000 + made}`,
      }));
    const stored = () => service.collection('sims').countDocuments({ user });
    await report([{ subscriptionId: 1, iccId: ICC }]);
    const real = await only();
    await change(real._id, { limits: { messagesPerDay: 5 } });
    for (let round = 0; round < 3; round++) {
      await Promise.all(Array.from({ length: 5 }, () => report(invented(8))));
      // The one with limits is the 17th.
      expect(await stored()).toBeLessThanOrEqual(17 + 16 * Math.min(round, 1) + 8);
      service.clock.advance(3_600_001);
    }
    const inPhone = () => service.collection('sims').countDocuments({ user, isPresent: true });
    await report([{ subscriptionId: 1, iccId: ICC }]);
    expect(await inPhone()).toBe(1);
    expect((await list()).find(({ _id }) => _id === real._id)).toMatchObject({
      device,
      subscriptionId: 1,
      limits: { messagesPerDay: 5 },
    });
    // New cards are stored again.
    await report(invented(2));
    expect(await inPhone()).toBe(2);
    expect(await stored()).toBeLessThanOrEqual(17 + 16 + 2);
  });

  it('of a phone that invents them are bounded; those without settings make room', async () => {
    const user = client.user;
    const template = {
      user,
      isPresent: false,
      enabled: true,
      seenAt: new Date(0),
      createdAt: new Date(0),
      updatedAt: new Date(0),
    };
    await service.collection('sims').insertMany(
      Array.from({ length: 1_000 }, (_, n) => ({
        ...template,
        key: `icc:${n}`,
        ...(n < 990 && { label: 'kept' }),
      })),
    );
    await report([{ subscriptionId: 1, iccId: ICC }]);
    expect(await service.collection('sims').countDocuments({ user })).toBe(991);
    await service.collection('sims').updateMany({ user }, { $set: { label: 'kept' } });
    await service
      .collection('sims')
      .insertMany(Array.from({ length: 9 }, (_, n) => ({ ...template, key: `more:${n}`, label: 'kept' })));
    await report([
      { subscriptionId: 1, iccId: ICC },
      { subscriptionId: 2, iccId: OTHER_ICC },
    ]);
    expect(await service.collection('sims').countDocuments({ user })).toBe(1_000);
  });
});

describe('the pace of a device', () => {
  let service: TestService;
  let client: TestClient;

  beforeAll(async () => {
    service = await TestService.start({ environment: { APP_ROLES: 'api' } });
    client = await service.newAccount();
  });
  afterAll(() => service.stop());

  const patched = async (device: string, body: object) =>
    (await client.patch(`/gateway/devices/${device}`, body)).body as { data: Record<string, unknown> };

  it('is registered and updated; null means none', async () => {
    const device = await client.newDevice({ partsPerMinute: null, defaultSim: 2 });
    const read = ((await client.get(`/gateway/devices/${device}`)).body as { data: object }).data;
    expect(read).toMatchObject({ partsPerMinute: null, defaultSim: 2 });
    expect((await patched(device, { partsPerMinute: 100 })).data).toMatchObject({ partsPerMinute: 100 });
    expect((await patched(device, { name: 'Office' })).data).toMatchObject({
      partsPerMinute: 100,
      defaultSim: 2,
    });
    expect((await patched(device, { partsPerMinute: null })).data).toMatchObject({ partsPerMinute: null });
    for (const partsPerMinute of [0, 1_001, 1.5, 'fast'])
      expect((await client.patch(`/gateway/devices/${device}`, { partsPerMinute })).status).toBe(400);
  });
});
