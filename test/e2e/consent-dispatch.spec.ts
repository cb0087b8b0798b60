import { randomUUID } from 'node:crypto';
import { Types } from 'mongoose';
import { accountScope } from '../../src/auth/account-scope';
import { TaskLimiter } from '../../src/common/task-limiter';
import { ConsentDecisions } from '../../src/consent/suppressions/consent-decisions.service';
import { SuppressionsRepository } from '../../src/consent/suppressions/suppressions.repository';
import { BatchCancellationsRepository } from '../../src/gateway/cancellation/batch-cancellations.repository';
import { PushClaimsRepository } from '../../src/gateway/dispatch/push-claims.repository';
import { SuppressedMessages } from '../../src/gateway/suppressions/suppressed-messages.service';
import { BatchesRepository } from '../../src/messages/batches.repository';
import type { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { newPool } from '../support/new-pool';
import { pauseNextCall } from '../support/pause-next-call';
import { Random } from '../support/random';
import { ScriptedTransport } from '../support/scripted-transport';
import { SmsGateSite } from '../support/smsgate/smsgate-site';
import { dispatchWave } from '../support/dispatch-wave';
import { TestService } from '../support/service';

const SECOND = 1_000;
/** At once, as `DispatchProcessor` runs them. */
const JOBS_OF_A_WORKER = 10;
const NUMBER = '+447700900123';
const OTHER = '+447700900124';
const numbers = (count: number) =>
  Array.from({ length: count }, (_, index) => `+4477${String(index).padStart(8, '0')}`);

describe('dispatch to blocked numbers', () => {
  let service: TestService;
  let transport: ScriptedTransport;
  let client: TestClient;
  let device: string;

  // No worker runs: each test calls the steps it needs.
  beforeAll(async () => {
    transport = new ScriptedTransport();
    service = await TestService.start({ environment: { APP_ROLES: 'api,scheduler' }, transport });
    service.stopTimers();
  });
  beforeEach(async () => {
    transport.resultOf = () => ({ outcome: 'accepted' });
    transport.pushed.length = 0;
    transport.cancelled.length = 0;
    client = await service.newAccount();
    device = await client.newDevice({
      partsPerMinute: null,
      supportsCancel: true,
      simInfo: { sims: [{ subscriptionId: 1, simSlotIndex: 0 }] },
    });
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => service.stop());

  const dispatch = (batch: string, wave = 0) => dispatchWave(service, batch, wave);
  const upload = (message: string, sender = NUMBER) =>
    client
      .post(`/gateway/devices/${device}/receive-sms`, {
        sender,
        message,
        receivedAtInMillis: service.clock.now().getTime(),
        fingerprint: randomUUID(),
      })
      .expect(200);
  const outcomesOf = async (batch: string) =>
    Object.fromEntries(
      (await client.batch(device, batch)).messages.map(({ recipient, status, errorCode }) => [
        recipient,
        errorCode ?? status,
      ]),
    );
  const idTo = async (number: string) =>
    String((await service.collection('messages').findOne({ user: client.user, recipient: number }))?._id);
  const used = async () =>
    Number((await service.collection('usages').findOne({ _id: client.user }))?.dayCount ?? 0);

  it('fails their messages without a push, refunds them, and pushes the others', async () => {
    await upload('STOP');
    const before = await used();
    const batch = await client.send([NUMBER, OTHER]);
    const fallback = await client.send([OTHER]);
    expect(await outcomesOf(batch)).toEqual({ [NUMBER]: 'pending', [OTHER]: 'pending' });
    await dispatch(batch);
    await dispatch(fallback);
    expect(await outcomesOf(batch)).toEqual({ [NUMBER]: 'SUPPRESSED', [OTHER]: 'dispatched' });
    expect(transport.pushed).toHaveLength(2);
    expect(await used()).toBe(before + 2);
    expect((await client.batch(device, batch)).batch).toMatchObject({ suppressedCount: 1, failureCount: 1 });
  });

  it('takes no room of a SIM for them, in a pool or not', async () => {
    await upload('STOP');
    const { data } = (await client.get('/gateway/sims')).body as { data: { _id: string }[] };
    const sim = data[0]?._id ?? '';
    await client.patch(`/gateway/sims/${sim}`, { limits: { messagesPerDay: 1 } }).expect(200);
    const pool = await newPool(service, client, [sim]);
    const batch = await client.send([NUMBER, OTHER], { poolId: pool });
    await dispatch(batch);
    expect(await outcomesOf(batch)).toEqual({ [NUMBER]: 'SUPPRESSED', [OTHER]: 'dispatched' });
    expect(transport.pushed).toHaveLength(1);
  });

  it('asks with one read for a wave, and with none for an account without consent', async () => {
    const reads = jest.spyOn(service.get(SuppressionsRepository), 'findOfNumbers');
    const batch = await client.send(numbers(50));
    expect(reads).toHaveBeenCalledTimes(1); // of the first recipient
    await dispatch(batch);
    expect(reads).toHaveBeenCalledTimes(2);
    await client.patch('/gateway/consent-settings', { enabled: false }).expect(200);
    await dispatch(await client.send(numbers(50)));
    expect(reads).toHaveBeenCalledTimes(2);
    expect(transport.pushed).toHaveLength(100);
  });

  it('stops a message that is accepted while the person writes STOP', async () => {
    const accepting = pauseNextCall(service, BatchesRepository, 'accept');
    const sending = client.send([NUMBER, OTHER]);
    await accepting.reached;
    await upload('STOP');
    accepting.release(false);
    const batch = await sending;
    await dispatch(batch);
    expect(await outcomesOf(batch)).toEqual({ [NUMBER]: 'SUPPRESSED', [OTHER]: 'dispatched' });
  });

  it('claims nothing for the number after the upload is answered, wherever a worker was then', async () => {
    const batch = await client.send([NUMBER, OTHER]);
    for (const method of ['claim'] as const) {
      const claim = pauseNextCall(service, PushClaimsRepository, method);
      const dispatching = dispatch(batch);
      await claim.reached;
      await upload('STOP');
      claim.release(false);
      await dispatching;
    }
    expect(await outcomesOf(batch)).toEqual({ [NUMBER]: 'SUPPRESSED', [OTHER]: 'dispatched' });
    expect(transport.pushed).toEqual([await idTo(OTHER)]);
  });

  it('does not claim from an old read what was claimed and released meanwhile', async () => {
    const batch = await client.send([NUMBER]);
    const claim = pauseNextCall(service, PushClaimsRepository, 'claim');
    const slow = dispatch(batch);
    await claim.reached;
    // Another worker pushes it; the person writes STOP during the push, which does not succeed.
    transport.resultOf = async () => {
      await upload('STOP');
      return { outcome: 'unavailable' };
    };
    await dispatch(batch);
    expect(await outcomesOf(batch)).toEqual({ [NUMBER]: 'pending' });
    service.clock.advance(10 * SECOND);
    claim.release(false);
    await slow;
    expect(transport.pushed).toHaveLength(1);
    await dispatch(batch);
    expect(await outcomesOf(batch)).toEqual({ [NUMBER]: 'SUPPRESSED' });
    expect(transport.pushed).toHaveLength(1);
  });

  it('waits for a batch that is being rescheduled, else the phone repeats the upload', async () => {
    const batch = new Types.ObjectId(await client.send([NUMBER]));
    const change = { id: new Types.ObjectId(), kind: 'reschedule', since: service.clock.now() };
    await service.collection('batches').updateOne({ _id: batch }, { $set: { change } });
    const cancellations = service.get(BatchCancellationsRepository);
    const startMany = cancellations.startMany.bind(cancellations);
    jest.spyOn(cancellations, 'startMany').mockImplementationOnce(async (...args) => {
      const accepted = await startMany(...args);
      await service.collection('batches').updateOne({ _id: batch }, { $unset: { change: 1 } });
      return accepted;
    });
    await upload('STOP');
    expect(await outcomesOf(batch.toHexString())).toEqual({ [NUMBER]: 'SUPPRESSED' });
  });

  it('fails messages of several pages', async () => {
    const batches = await Promise.all(
      Array.from({ length: 30 }, () => client.send(Array.from({ length: 40 }, () => NUMBER))),
    );
    await upload('STOP');
    const failed = { user: client.user, status: 'failed', errorCode: 'SUPPRESSED' };
    expect(await service.collection('messages').countDocuments(failed)).toBe(1_200);
    expect(
      await service.collection('batches').countDocuments({ user: client.user, suppressedCount: 40 }),
    ).toBe(30);
    expect(batches).toHaveLength(30);
    expect(await used()).toBe(1);
  });

  it.each([1, 2, 3])(
    'pushes nothing after the answer to a STOP while a send of 2,000 runs, in random order %i',
    async (seed) => {
      const random = new Random(seed);
      transport.pushed.length = 0;
      const recipients = [...numbers(1_990), ...Array.from({ length: 10 }, () => NUMBER)];
      const shuffled = recipients.toSorted(() => random.int(-1, 1));
      const other = await service.newAccount();
      client = other;
      device = await client.newDevice({ partsPerMinute: null });
      const batch = await client.send(shuffled, { message: 'Hi' });
      const waves = (await service
        .collection('messages')
        .distinct('wave', { smsBatch: new Types.ObjectId(batch) })) as number[];
      await service
        .collection('messages')
        .updateMany({ smsBatch: new Types.ObjectId(batch) }, { $set: { nextDispatchAt: new Date(0) } });
      const own = new Set(
        (await service.collection('messages').find({ user: client.user, recipient: NUMBER }).toArray()).map(
          ({ _id }) => String(_id),
        ),
      );
      let answeredAt = Infinity;
      const claimedAfter: string[] = [];
      const repository = service.get(PushClaimsRepository);
      const claim = repository.claim.bind(repository);
      jest.spyOn(repository, 'claim').mockImplementation(async (messages, until, now) => {
        await new Promise((resolve) => setTimeout(resolve, random.int(0, 40)));
        const startedAt = performance.now();
        const claimed = await claim(messages, until, now);
        if (startedAt > answeredAt) claimedAfter.push(...[...claimed].filter((id) => own.has(id)));
        return claimed;
      });
      const jobs = [...waves, ...waves].toSorted(() => random.int(-1, 1));
      const workers = new TaskLimiter(2 * JOBS_OF_A_WORKER);
      const running = Promise.all(jobs.map((wave) => workers.run(() => dispatch(batch, wave))));
      await new Promise((resolve) => setTimeout(resolve, random.int(0, 300)));
      await upload('STOP');
      answeredAt = performance.now();
      await running;
      expect(claimedAfter).toEqual([]);
      const left = await service
        .collection('messages')
        .countDocuments({ user: client.user, recipient: NUMBER, status: 'pending' });
      expect(left).toBe(0);
      expect(new Set(transport.pushed).size).toBe(transport.pushed.length);
      jest.restoreAllMocks();
    },
  );

  it('asks phones for what they were handed; what they confirm fails as suppressed and is refunded', async () => {
    const batch = await client.send([NUMBER, OTHER]);
    const transactional = await client.send([NUMBER], { purpose: 'transactional' });
    const acknowledged = await client.send([NUMBER]);
    for (const each of [batch, transactional, acknowledged]) await dispatch(each);
    const idOf = async (of: string) =>
      (await client.batch(device, of)).messages.find(({ recipient }) => recipient === NUMBER)?._id ?? '';
    const [id, kept] = [await idOf(batch), await idOf(acknowledged)];
    await client.post(`/gateway/devices/${device}/messages/ack`, { smsIds: [kept] }).expect(200);
    const before = await used();
    await upload('STOP');
    await upload('STOP');
    expect(transport.cancelled).toEqual([[id]]);
    expect(await outcomesOf(batch)).toEqual({ [NUMBER]: 'dispatched', [OTHER]: 'dispatched' });
    await client.post(`/gateway/devices/${device}/messages/cancelled`, { smsIds: [id, kept] }).expect(200);
    expect(await outcomesOf(batch)).toEqual({ [NUMBER]: 'SUPPRESSED', [OTHER]: 'dispatched' });
    expect([await outcomesOf(transactional), await outcomesOf(acknowledged)]).toEqual([
      { [NUMBER]: 'dispatched' },
      { [NUMBER]: 'dispatched' },
    ]);
    expect((await client.batch(device, batch)).batch).toMatchObject({
      suppressedCount: 1,
      cancelledCount: 0,
    });
    expect(await used()).toBe(before + 1); // two texts, less one
  });

  it('is repeatable', async () => {
    const batch = await client.send([NUMBER]);
    await upload('STOP');
    await service.get(SuppressedMessages).failPending(accountScope(client.user), NUMBER);
    expect(await outcomesOf(batch)).toEqual({ [NUMBER]: 'SUPPRESSED' });
    expect(await used()).toBe(1);
  });
});

describe('dispatch to blocked numbers over streams, and by phones that fetch', () => {
  let service: TestService;

  // No worker runs: each test calls the steps it needs.
  beforeAll(async () => {
    service = await TestService.start({ environment: { APP_ROLES: 'api,scheduler' } });
    service.stopTimers();
  });
  afterAll(() => service.stop());

  const dispatch = (batch: string) => dispatchWave(service, batch);
  const outcomesOf = async (client: TestClient, device: string, batch: string) =>
    (await client.batch(device, batch)).messages.map(({ recipient, errorCode, status }) => [
      recipient,
      errorCode ?? status,
    ]);
  const block = ({ user }: TestClient) =>
    service.get(ConsentDecisions).record(accountScope(user), {
      ...{ number: NUMBER, state: 'out', covers: 'undeclared', source: 'api' },
      at: service.clock.now(),
    });

  it('offers nothing to a stream', async () => {
    const client = await service.newAccount();
    const device = await client.newDevice();
    await block(client);
    const batch = await client.send([NUMBER, OTHER]);
    await dispatch(batch);
    expect(await outcomesOf(client, device, batch)).toEqual([
      [NUMBER, 'SUPPRESSED'],
      [OTHER, 'dispatched'],
    ]);
  });

  it('fails what waits for a stream, or was claimed for one', async () => {
    const client = await service.newAccount();
    const device = await client.registerDevice();
    const batch = await client.send([NUMBER]);
    await dispatch(batch); // claimed for 4 s, then it waits for the phone
    await client.post('/gateway/suppressions', { number: NUMBER }).expect(201);
    expect(await outcomesOf(client, device, batch)).toEqual([[NUMBER, 'SUPPRESSED']]);
  });

  it('lists nothing to a phone that fetches, if the number was blocked since it waits', async () => {
    const site = await SmsGateSite.create(service);
    const app = await site.pair();
    app.stop();
    const batch = await site.client.send([NUMBER, OTHER], { deviceId: app.deviceId });
    await dispatch(batch);
    expect(await outcomesOf(site.client, app.deviceId, batch)).toEqual([
      [NUMBER, 'pending'],
      [OTHER, 'pending'],
    ]);
    await block(site.client);
    const again = await site.restart(app);
    await eventually(
      () => again.aired.length,
      (count) => count === 1,
    );
    expect((await outcomesOf(site.client, app.deviceId, batch))[0]).toEqual([NUMBER, 'SUPPRESSED']);
    site.stop();
  });
});
