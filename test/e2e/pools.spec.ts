import { Types } from 'mongoose';
import { accountScope } from '../../src/auth/account-scope';
import { PoolsRepository } from '../../src/devices/sims/pools/pools.repository';
import { ErasureService } from '../../src/erasure/erasure.service';
import { PoolViews } from '../../src/gateway/senders/pool-views.service';
import { PoolsService } from '../../src/gateway/pools/pools.service';
import type { TestClient } from '../support/client';
import { pauseNextCall } from '../support/pause-next-call';
import { TestService } from '../support/service';

const NUMBER = '+4915112345678';
const DAY = 24 * 3_600_000;
const ICC = '8949020000000000001';

interface PoolJson {
  readonly _id: string;
  readonly name: string;
  readonly sims: string[];
  readonly isDefault: boolean;
  readonly [field: string]: unknown;
}

interface SimulationJson {
  readonly sim?: string;
  readonly device?: string;
  readonly reason: string;
  readonly text: string;
  readonly until?: string;
  readonly unavailable: { sim: string; reason: string; text: string; until?: string }[];
}

describe('pools', () => {
  let service: TestService;
  let client: TestClient;
  let device: string;
  let sims: string[];

  beforeAll(async () => {
    service = await TestService.start({ environment: { APP_ROLES: 'api' } });
    service.stopTimers();
    service.clock.stop();
  });
  beforeEach(async () => {
    client = await service.newAccount();
    device = await client.newDevice({
      simInfo: { sims: [1, 2, 3].map((subscriptionId) => ({ subscriptionId })) },
    });
    sims = await simsOf(client);
  });
  afterAll(() => service.stop());

  const simsOf = async (owner: TestClient): Promise<string[]> => {
    const { data } = (await owner.get('/gateway/sims')).body as { data: { _id: string }[] };
    return data.map(({ _id }) => _id);
  };
  const create = async (fields: object = {}, owner = client): Promise<PoolJson> => {
    const answer = await owner.post('/gateway/pools', { name: 'Orders', sims, ...fields });
    expect([answer.status, answer.body]).toEqual([201, answer.body]);
    return (answer.body as { data: PoolJson }).data;
  };
  const change = async (id: string, fields: object): Promise<PoolJson> => {
    const answer = await client.patch(`/gateway/pools/${id}`, fields);
    expect([answer.status, answer.body]).toEqual([200, answer.body]);
    return (answer.body as { data: PoolJson }).data;
  };
  const list = async (): Promise<PoolJson[]> =>
    ((await client.get('/gateway/pools')).body as { data: PoolJson[] }).data;
  const simulate = async (id: string, recipient = NUMBER): Promise<SimulationJson> => {
    const answer = await client.post(`/gateway/pools/${id}/simulate`, { recipient });
    expect([answer.status, answer.body]).toEqual([200, answer.body]);
    return (answer.body as { data: SimulationJson }).data;
  };
  const errorsOf = (body: unknown) =>
    Object.fromEntries(
      (body as { details: { field: string; message: string }[] }).details.map(({ field, message }) => [
        field,
        message,
      ]),
    );
  const storeMessage = (fields: object) =>
    service.collection('messages').insertOne({
      _id: new Types.ObjectId(),
      user: client.user,
      direction: 'sent',
      status: 'pending',
      peerNumber: NUMBER,
      createdAt: service.clock.now(),
      ...fields,
    });

  it('are created, read, changed and deleted', async () => {
    const [first = '', second = ''] = sims;
    const pool = await create({ countries: { '+49': [first], '+1': [] } });
    expect(pool).toEqual({
      _id: pool._id,
      name: 'Orders',
      sims,
      strategy: 'sticky',
      countries: { '+49': [first], '+1': [] },
      isDefault: false,
      createdAt: service.clock.now().toISOString(),
      updatedAt: service.clock.now().toISOString(),
    });
    const other = await create({ name: 'Codes', sims: [second], strategy: 'least-loaded' });
    expect(await list()).toEqual([other, pool]);
    const changed = await change(pool._id, { name: 'Parcels', strategy: 'round-robin', countries: null });
    expect(changed).toMatchObject({ name: 'Parcels', strategy: 'round-robin', sims });
    expect(changed).not.toHaveProperty('countries');
    expect((await change(pool._id, { sims: [second] })).sims).toEqual([second]);
    expect((await client.get(`/gateway/pools/${pool._id}`)).body).toMatchObject({ data: { sims: [second] } });
    expect((await client.delete(`/gateway/pools/${pool._id}`)).body).toEqual({ data: { success: true } });
    expect((await client.delete(`/gateway/pools/${pool._id}`)).status).toBe(404);
    expect(await list()).toEqual([other]);
  });

  it('belong to one account', async () => {
    const other = await service.newAccount();
    await other.newDevice();
    const [foreign = ''] = await simsOf(other);
    const pool = await create({ isDefault: true });
    for (const answer of [
      await other.get(`/gateway/pools/${pool._id}`),
      await other.patch(`/gateway/pools/${pool._id}`, { isDefault: true }),
      await other.delete(`/gateway/pools/${pool._id}?pending=keep`),
      await other.post(`/gateway/pools/${pool._id}/simulate`, { recipient: NUMBER }),
    ])
      expect([answer.status, answer.body]).toEqual([
        404,
        expect.objectContaining({ code: 'POOL_NOT_FOUND' }),
      ]);
    expect((await other.get('/gateway/pools')).body).toEqual({ data: [] });
    const refused = await client.patch(`/gateway/pools/${pool._id}`, { sims: [...sims, foreign] });
    expect(errorsOf(refused.body)).toEqual({ 'sims.3': 'sims.3 is not a SIM of the account' });
    // Names are those of the account.
    await create({ sims: [foreign] }, other);
    expect(await list()).toEqual([pool]);
    expect(
      await service.get(PoolViews).open(accountScope(other.user), new Types.ObjectId(pool._id)),
    ).toBeNull();
  });

  it('refuse bad input, and name the field', async () => {
    const [first = '', second = ''] = sims;
    const nobody = new Types.ObjectId().toHexString();
    const many = (count: number) => Array.from({ length: count }, () => first);
    const rules = (count: number, ids = [first]) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`+${1_000 + index}`, ids]));
    const cases: [object, Record<string, string>][] = [
      [{ name: undefined }, { name: 'name must be a string' }],
      [{ name: '' }, { name: 'name must be longer than or equal to 1 characters' }],
      [{ name: 'x'.repeat(65) }, { name: 'name must be shorter than or equal to 64 characters' }],
      [{ name: 'a\u0000b' }, { name: 'name must not contain control characters' }],
      [{ sims: undefined }, { sims: 'sims must be an array' }],
      [{ sims: [] }, { sims: 'sims must contain at least 1 elements' }],
      [
        { sims: many(101) },
        { sims: 'sims must not have more than 100 elements in one request; there are 101' },
      ],
      [{ sims: [first, second, nobody] }, { 'sims.2': 'sims.2 is not a SIM of the account' }],
      [
        { sims: [first, 'x', { $ne: 1 }, 7] },
        Object.fromEntries([1, 2, 3].map((n) => [`sims.${n}`, `sims.${n} is not a valid id`])),
      ],
      [{ sims: [first, second, first] }, { 'sims.2': 'sims.2 is the same as sims.0' }],
      [{ strategy: 'random' }, { strategy: 'strategy must be one of sticky, round-robin, least-loaded' }],
      [{ isDefault: 'yes' }, { isDefault: 'isDefault must be a boolean value' }],
      [{ countries: [first] }, { countries: 'countries must be an object' }],
      [{ countries: 'de' }, { countries: 'countries must be an object' }],
      [{ countries: { '+49': first } }, { 'countries.+49': 'countries.+49 must be a list of SIM ids' }],
      [
        { sims: [first], countries: { '+49': [first, second] } },
        { 'countries.+49.1': 'countries.+49.1 is not in sims' },
      ],
      [{ countries: rules(251) }, { countries: 'countries must not have more than 250 keys' }],
      [
        { countries: { '+49': many(101) } },
        { 'countries.+49': 'countries.+49 must not have more than 100 elements' },
      ],
    ];
    for (const [fields, errors] of cases) {
      const answer = await client.post('/gateway/pools', { name: 'Orders', sims, ...fields });
      expect([fields, answer.status, errorsOf(answer.body)]).toEqual([fields, 400, errors]);
    }
    for (const prefix of ['49', '+', '+0', '+12345678', '+4 9', '$where', 'a.b']) {
      const body = `{"name":"Orders","sims":["${first}"],"countries":{"${prefix}":["${first}"]}}`;
      const answer = await client.post('/gateway/pools', body).set('Content-Type', 'application/json');
      const field = `countries.${prefix}`;
      expect([answer.status, errorsOf(answer.body)]).toEqual([
        400,
        { [field]: `${field} must be a + and 1 to 7 digits, such as +49` },
      ]);
    }
    const polluting = `{"name":"Orders","sims":["${first}"],"countries":{"__proto__":["${first}"]}}`;
    const refused = await client.post('/gateway/pools', polluting).set('Content-Type', 'application/json');
    expect(refused.status).toBe(400);
    expect(await list()).toEqual([]);
    // 750 ids: the limit of 1,000 is a matter of `readPoolSims`.
    const large = { name: 'Orders', sims, countries: rules(250, sims) };
    expect((await client.post('/gateway/pools', large)).status).toBe(201);

    const taken = await client.post('/gateway/pools', { name: 'Orders', sims });
    expect([taken.status, errorsOf(taken.body)]).toEqual([
      400,
      { name: 'name is that of another pool of the account' },
    ]);
    const other = await create({ name: 'Other' });
    expect(errorsOf((await client.patch(`/gateway/pools/${other._id}`, { name: 'Orders' })).body)).toEqual({
      name: 'name is that of another pool of the account',
    });
    const id = other._id;
    expect((await client.post(`/gateway/pools/${id}/simulate`, { recipient: 'nobody' })).status).toBe(400);
    expect((await client.post(`/gateway/pools/${id}/simulate`, {})).status).toBe(400);
    expect((await client.delete(`/gateway/pools/${id}?pending=cancel`)).status).toBe(400);
    expect((await client.get('/gateway/pools/x')).status).toBe(400);
  });

  it('do not lose a rule that a concurrent change would break', async () => {
    const [first = '', second = ''] = sims;
    const pool = await create();
    const pause = pauseNextCall(service, PoolsRepository, 'update');
    const narrowed = client.patch(`/gateway/pools/${pool._id}`, { sims: [first] }).then((answer) => answer);
    await pause.reached;
    // In a process the changes of an account are made one after the other.
    const other = await TestService.start({ shared: service });
    const changed = client
      .at(other.url)
      .patch(`/gateway/pools/${pool._id}`, { countries: { '+49': [second] } });
    expect((await changed).status).toBe(200);
    await other.stop();
    pause.release(false);
    const answer = await narrowed;
    expect([answer.status, errorsOf(answer.body)]).toEqual([
      400,
      { 'countries.+49.0': 'countries.+49.0 is not in sims' },
    ]);
    expect(await list()).toMatchObject([{ sims, countries: { '+49': [second] } }]);
  });

  it('are at most 50, also when they are created at the same time', async () => {
    const pools = Array.from({ length: 48 }, (_, index) => ({
      _id: new Types.ObjectId(),
      user: client.user,
      name: `Pool ${index}`,
      sims: [],
      strategy: 'sticky',
    }));
    await service.collection('pools').insertMany(pools);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => client.post('/gateway/pools', { name: `New ${index}`, sims })),
    );
    const created = answers.filter(({ status }) => status === 201).length;
    for (const { status, body } of answers)
      if (status !== 201) expect(body).toMatchObject({ code: 'POOL_LIMIT_REACHED' });
    expect(created).toBeLessThanOrEqual(2);
    expect(await list()).toHaveLength(48 + created);
  });

  it('have at most one default, which a later one replaces', async () => {
    const [one, two] = [await create({ isDefault: true }), await create({ name: 'Codes' })];
    expect([one.isDefault, two.isDefault]).toEqual([true, false]);
    const defaults = async () => (await list()).filter(({ isDefault }) => isDefault).map(({ _id }) => _id);
    expect((await change(two._id, { isDefault: true })).isDefault).toBe(true);
    expect(await defaults()).toEqual([two._id]);
    // Only the default can stop to be it.
    await change(one._id, { isDefault: false });
    expect(await defaults()).toEqual([two._id]);
    for (let round = 0; round < 5; round++) {
      await Promise.all(
        [one, two, one, two].map(({ _id }) => client.patch(`/gateway/pools/${_id}`, { isDefault: true })),
      );
      expect(await defaults()).toHaveLength(1);
    }
    const [current = ''] = await defaults();
    await change(current, { isDefault: false });
    expect(await defaults()).toEqual([]);
    await change(current, { isDefault: true });
    await client.delete(`/gateway/pools/${current}`);
    expect(await defaults()).toEqual([]);
  });

  it('are not deleted with waiting messages, unless the caller says what becomes of them', async () => {
    const pool = await create();
    const id = new Types.ObjectId(pool._id);
    for (const status of ['pending', 'pending', 'dispatched']) await storeMessage({ pool: id, status });
    const refused = await client.delete(`/gateway/pools/${pool._id}`);
    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({
      code: 'POOL_HAS_MESSAGES',
      error: expect.stringMatching(/^2 messages wait in the pool; .*\?pending=keep/) as string,
    });
    expect(await list()).toHaveLength(1);
    expect((await client.delete(`/gateway/pools/${pool._id}?pending=keep`)).status).toBe(200);
    expect(await service.collection('messages').countDocuments({ user: client.user })).toBe(3);
    expect(await service.get(PoolViews).open(accountScope(client.user), id)).toBeNull();
  });

  it('simulate the choice of a SIM, with a sentence for each reason', async () => {
    const [first = '', second = '', third = ''] = sims;
    const pool = await create();
    const chosen = await simulate(pool._id);
    expect(chosen).toEqual({
      sim: expect.stringMatching(/^[\da-f]{24}$/) as string,
      device,
      reason: 'spread',
      text: 'The pool spreads recipients over its SIMs by their health, room and pace',
      unavailable: [],
    });
    // Nothing is counted: the same again.
    expect(await simulate(pool._id, '+49 151 12345678')).toEqual(chosen);

    const until = new Date(service.clock.now().getTime() + DAY);
    await client.patch(`/gateway/sims/${first}`, { enabled: false });
    await client.patch(`/gateway/sims/${second}`, { limits: { messagesPerDay: 1, timeZone: 'UTC' } });
    const start = new Date(Math.floor(service.clock.now().getTime() / DAY) * DAY);
    await service.collection('simusages').insertOne({
      _id: new Types.ObjectId(second),
      user: client.user,
      version: new Types.ObjectId(),
      reservations: [],
      day: { start, count: 1 },
    });
    const midnight = new Date(start.getTime() + DAY).toISOString();
    expect(await simulate(pool._id)).toEqual({
      sim: third,
      device,
      reason: 'only_sim',
      text: 'It was the only SIM of the pool that could take the message',
      unavailable: expect.arrayContaining([
        { sim: first, reason: 'disabled', text: 'The SIM is disabled' },
        { sim: second, reason: 'limits', text: `Its limits are reached until ${midnight}`, until: midnight },
      ]) as unknown,
    });

    await change(pool._id, { countries: { '+49': [first, second], '+1': [third] } });
    expect(await simulate(pool._id)).toMatchObject({
      reason: 'limits',
      text: `No SIM of the pool can send the message now; the first can at ${midnight}`,
      until: midnight,
      unavailable: expect.arrayContaining([
        { sim: third, reason: 'country', text: 'The pool has other SIMs for the country of the recipient' },
      ]) as unknown,
    });
    await change(pool._id, { countries: null });

    const health = (breaker: object) =>
      service.collection('sims').updateOne(
        { _id: new Types.ObjectId(third) },
        {
          $set: {
            health: {
              failures: { mean: 0.5, weight: 100 },
              deliveries: { mean: 0, weight: 20 },
              failing: { score: 0, recipients: [] },
              silent: { score: 0, recipients: [] },
              awaited: [],
              breaker: {
                kind: 'failures',
                openedAt: service.clock.now(),
                backoffMs: 1,
                successes: 0,
                ...breaker,
              },
            },
          },
        },
      );
    const ofThird = async () => (await simulate(pool._id)).unavailable.find(({ sim }) => sim === third);
    await health({ canaryDueAt: until });
    expect(await ofThird()).toEqual({
      sim: third,
      reason: 'unhealthy',
      text: `Its messages fail or are not delivered; it is tried again at ${until.toISOString()}`,
      until: until.toISOString(),
    });
    await health({ canaryDueAt: service.clock.now(), canary: { recipient: 'x', at: service.clock.now() } });
    expect((await ofThird())?.text).toBe('Its messages fail or are not delivered; it is being tried');

    const set = (fields: object) =>
      service.collection('devices').updateOne({ _id: new Types.ObjectId(device) }, { $set: fields });
    await set({ stream: { id: new Types.ObjectId(), openedAt: new Date(0), closedAt: new Date(0) } });
    expect(await ofThird()).toEqual({ sim: third, reason: 'unreachable', text: 'Its device is not online' });
    await set({ drainingSince: service.clock.now() });
    expect((await ofThird())?.text).toBe('Its device takes no new messages');
    await set({ enabled: false });
    expect((await ofThird())?.text).toBe('Its device is disabled');
    await service
      .collection('sims')
      .updateOne({ _id: new Types.ObjectId(third) }, { $set: { isPresent: false } });
    expect(await ofThird()).toEqual({ sim: third, reason: 'unreachable', text: 'The SIM is in no device' });
  });

  it('keep a recipient with the SIM of the last message, of those of the pool, for 90 days', async () => {
    const [first = '', second = '', third = ''] = sims;
    const pool = await create({ sims: [first, second] });
    const ago = (days: number) => new Date(service.clock.now().getTime() - days * DAY);
    const spread = (await simulate(pool._id)).sim ?? '';
    const other = spread === first ? second : first;
    const sent = (sim: string, days: number, fields: object = {}) =>
      storeMessage({ sim: new Types.ObjectId(sim), status: 'sent', createdAt: ago(days), ...fields });
    await sent(other, 91);
    expect(await simulate(pool._id)).toMatchObject({ sim: spread, reason: 'spread' });
    await sent(other, 89);
    const sticky = { sim: other, reason: 'sticky', text: 'The recipient last heard from it' };
    expect(await simulate(pool._id)).toMatchObject(sticky);
    // None of these is a message that the recipient had from a SIM of the pool.
    await sent(third, 1);
    await sent(spread, 1, { status: 'failed' });
    await sent(spread, 1, { direction: 'received' });
    await sent(spread, 1, { user: new Types.ObjectId() });
    await sent(spread, 1, { peerNumber: '+4915112345679' });
    expect(await simulate(pool._id)).toMatchObject(sticky);
    await sent(spread, 2);
    expect(await simulate(pool._id)).toMatchObject({ sim: spread, reason: 'sticky' });
  });

  it('take turns from one send to the next', async () => {
    const pool = await create({ strategy: 'round-robin' });
    const sorted = sims.toSorted();
    const choose = async () => {
      const view = await service.get(PoolViews).open(accountScope(client.user), new Types.ObjectId(pool._id));
      const choice = view?.choose({ peerNumber: NUMBER, parts: 1, isSingleUrgent: false });
      await view?.recordRoundRobinTurns();
      return choice?.sim?.id;
    };
    expect([await choose(), await choose(), await choose(), await choose()]).toEqual([...sorted, sorted[0]]);
    // A simulation takes no turn.
    expect([await simulate(pool._id), await simulate(pool._id)]).toMatchObject([
      { sim: sorted[1], reason: 'round_robin' },
      { sim: sorted[1] },
    ]);
  });

  it('continue with a SIM whose ICCID appears, and without one whose device is deleted', async () => {
    const heartbeat = (phone: string, iccId?: string) =>
      client.post(`/gateway/devices/${phone}/heartbeat`, {
        simInfo: { lastUpdated: 1, sims: [{ subscriptionId: 1, iccId }] },
      });
    const [one, two] = [await client.newDevice(), await client.newDevice()];
    await heartbeat(one, ICC);
    await heartbeat(two);
    const { data } = (await client.get('/gateway/sims')).body as { data: { _id: string; device: string }[] };
    const at = (phone: string) => data.find((sim) => sim.device === phone)?._id ?? '';
    const pool = await create({ sims: [...sims, at(two)], countries: { '+49': [at(two), ...sims] } });
    await heartbeat(two, ICC);
    expect(await list()).toMatchObject([
      { _id: pool._id, sims: [...sims, at(one)], countries: { '+49': [at(one), ...sims] } },
    ]);
    await client.delete(`/gateway/devices/${device}`);
    expect(await list()).toMatchObject([{ sims: [at(one)], countries: { '+49': [at(one)] } }]);
    // What is not shown does not stand in the way of a change.
    expect((await change(pool._id, { name: 'Renamed', sims: [at(one)] })).sims).toEqual([at(one)]);
  });

  it('are erased with their account', async () => {
    const pools = service.get(PoolsService);
    const pool = await create({ isDefault: true });
    await service.get(ErasureService).start(accountScope(client.user));
    await service.get(ErasureService).removeData(accountScope(client.user));
    expect(await pools.list(accountScope(client.user))).toEqual([]);
    expect(await service.collection('pools').findOne({ _id: new Types.ObjectId(pool._id) })).toBeNull();
    const account = await service.collection('accounts').findOne({ _id: client.user });
    expect(account).not.toHaveProperty('defaultPool');
  });
});
