import { setTimeout as sleep } from 'node:timers/promises';
import { Types } from 'mongoose';
import { accountScope } from '../../src/auth/account-scope';
import { UnconfirmedMessagesService } from '../../src/phones/checks/unconfirmed-messages.service';
import { MessageRetentionRepository } from '../../src/maintenance/retention/message-retention.repository';
import { MessageRetention } from '../../src/maintenance/retention/message-retention.service';
import { TotalsService } from '../../src/totals/totals.service';
import { TestClient } from '../support/client';
import { crashAtCall } from '../support/crash-at-call';
import { pauseNextCall } from '../support/pause-next-call';
import { ScriptedTransport } from '../support/scripted-transport';
import { dispatchWave } from '../support/dispatch-wave';
import { TestService } from '../support/service';

const DAY = 24 * 3_600_000;
const numbers = (count: number) =>
  Array.from({ length: count }, (_, index) => `+4915${String(index).padStart(8, '0')}`);

describe('message retention', () => {
  const transport = new ScriptedTransport();
  let service: TestService;
  let other: TestService;
  let client: TestClient;
  let device: string;

  beforeAll(async () => {
    const environment = { APP_ROLES: 'api,scheduler', RETENTION_MESSAGES_DAYS: '2' };
    service = await TestService.start({ environment, transport });
    other = await TestService.start({ environment, transport, shared: service });
    for (const each of [service, other]) each.stopTimers();
  });
  beforeEach(async () => {
    client = await service.newAccount();
    device = await client.newDevice();
  });
  afterAll(async () => {
    await other.stop();
    await service.stop();
  });

  const messages = () => service.collection('messages');
  const account = () => accountScope(client.user);
  /** Closes all periods up to now, as if nothing were in progress. */
  const close = async (at = service) => {
    await sleep(5);
    return at.get(TotalsService).close(account(), new Date());
  };
  const removeCounted = async (at = service, closed?: Date) =>
    at.get(MessageRetention).removeCounted(account(), closed ?? (await close(at)));
  const left = () => messages().countDocuments({ user: client.user });
  const textsLeft = async () =>
    (await messages().find({ user: client.user }).toArray()).map(({ message }) => String(message)).sort();

  const relay = (message?: string) =>
    messages().updateMany(
      { user: client.user, ...(message !== undefined && { message }) },
      { $set: { outbox: [] }, $unset: { relayDueAt: 1 } },
    );

  async function sendReported(statuses: string[], fields: object = {}): Promise<string> {
    const batch = await client.send(numbers(statuses.length), fields);
    const reported = (await client.batch(device, batch)).messages;
    for (const [index, { _id }] of reported.entries()) {
      if (statuses[index]) await client.report(device, _id, statuses[index], { errorCode: '4' });
    }
    await messages().updateMany(
      { smsBatch: new Types.ObjectId(batch) },
      { $set: { outbox: [] }, $unset: { relayDueAt: 1 } },
    );
    return batch;
  }

  async function receive(message: string, fields: object = {}): Promise<void> {
    await client.post(`/gateway/devices/${device}/receive-sms`, { sender: '+49', message, ...fields });
    await relay(message);
  }

  const inDays = (days: number) => new Date(service.clock.now().getTime() + days * DAY).toISOString();
  const figures = async () => ({
    stats: (await client.get('/gateway/stats')).body as unknown,
    device: (await client.get(`/gateway/devices/${device}`)).body as unknown,
    usage: await service.collection('usages').findOne({ _id: client.user }),
  });

  it('keeps messages forever by default', async () => {
    const keeping = await TestService.start({
      environment: { APP_ROLES: 'api,scheduler' },
      transport,
      shared: service,
    });
    await sendReported(['DELIVERED']);
    service.clock.advance(4_000 * DAY);
    await removeCounted(keeping);
    expect(await left()).toBe(1);
    await keeping.stop();
  });

  it('removes only old messages that are settled and relayed', async () => {
    const send = (message: string, status: string, fields: object = {}) =>
      sendReported([status], { message, ...fields });
    await send('old: sent', 'SENT');
    await send('old: delivered', 'DELIVERED');
    await send('old: failed', 'FAILED');
    await send('old: unknown', 'odd');
    await receive('old: received');
    await receive('old: received long before', { receivedAtInMillis: 5 });
    await send('kept: pending', '', { scheduledAt: inDays(20) });
    const dispatched = await send('kept: dispatched', '');
    await dispatchWave(service, dispatched);
    await send('kept: waits for webhooks', 'DELIVERED');
    await messages().updateOne(
      { user: client.user, message: 'kept: waits for webhooks' },
      { $set: { outbox: [{ event: 'MESSAGE_DELIVERED', at: service.clock.now() }] } },
    );
    await send('kept: redelivered', 'odd');
    await messages().updateOne(
      { user: client.user, message: 'kept: redelivered' },
      { $set: { redeliverUntil: new Date(inDays(3)) } },
    );
    const late = await client.send(numbers(1), { message: 'kept: settled late' });
    service.clock.advance(1.5 * DAY);
    const [message] = (await client.batch(device, late)).messages;
    await client.report(device, message?._id ?? '', 'SENT');
    await relay('kept: settled late');
    await send('kept: young', 'SENT');
    await receive('kept: uploaded now', { receivedAtInMillis: 5 });
    service.clock.advance(0.5 * DAY + 1_000);
    const before = await figures();
    await removeCounted();
    expect((await textsLeft()).filter((text) => !text.startsWith('kept'))).toEqual([]);
    expect(await left()).toBe(7);
    expect(await figures()).toEqual(before);
    // The kept messages are removed once they are settled and relayed.
    await service.get(UnconfirmedMessagesService).markUnconfirmed();
    await relay();
    service.clock.advance(2 * DAY);
    await removeCounted();
    expect(await textsLeft()).toEqual(['kept: pending']);
    expect(await figures()).toEqual(before);
  });

  it('removes only what is part of all totals', async () => {
    await sendReported(['SENT', 'DELIVERED']);
    await receive('one');
    service.clock.advance(3 * DAY);
    const before = await figures();
    await service.get(MessageRetention).maintain(account(), new Date());
    expect(await left()).toBe(3);
    const closed = await close();
    // Counted after the totals were closed.
    await sendReported(['SENT']);
    await receive('two', { receivedAtInMillis: 5 });
    service.clock.advance(3 * DAY);
    await removeCounted(service, closed);
    expect(await left()).toBe(2);
    expect(await figures()).not.toEqual(before);
    expect((await client.get('/gateway/stats')).body).toMatchObject({
      data: { totalSentSMSCount: 3, totalReceivedSMSCount: 2 },
    });
  });

  it('removes a batch when all its messages can be removed, and frees its idempotency key', async () => {
    const send = { message: 'Hello', recipients: numbers(2) };
    const first = await client.post('/gateway/send-sms', send).set('Idempotency-Key', 'k');
    await messages().updateMany(
      { user: client.user },
      { $set: { status: 'failed', settledAt: service.clock.now() } },
    );
    const entry = (count: number, scheduledAt?: string) => ({
      message: 'x',
      recipients: numbers(count),
      scheduledAt,
    });
    const answer = await client.post('/gateway/send-bulk-sms', {
      messages: [entry(4), entry(2, inDays(5))],
    });
    const batch = (answer.body as { data: { smsBatchId: string } }).data.smsBatchId;
    const ids = (await client.batch(device, batch)).messages.map(({ _id }) => _id);
    for (const id of ids.slice(0, 4)) await client.report(device, id, 'SENT');
    await relay();
    const before = await client.batch(device, batch);
    service.clock.advance(3 * DAY);
    await removeCounted();
    expect(await client.batch(device, batch)).toEqual(before);
    for (const id of ids.slice(4)) await client.report(device, id, 'SENT');
    await relay();
    service.clock.advance(1.5 * DAY);
    await removeCounted();
    expect((await client.get(`/gateway/devices/${device}/sms-batch/${batch}`)).status).toBe(404);
    expect((await client.report(device, ids[0] ?? '', 'DELIVERED')).status).toBe(404);
    expect([await left(), await service.collection('batches').countDocuments({ user: client.user })]).toEqual(
      [0, 0],
    );
    const again = await client.post('/gateway/send-sms', send).set('Idempotency-Key', 'k');
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([200, undefined]);
    expect(again.text).not.toBe(first.text);
  });

  it('removes large batches', async () => {
    const batch = await client.send(numbers(2_300));
    const settled = { status: 'delivered', settledAt: service.clock.now(), countedAt: new Date() };
    await messages().updateMany({ smsBatch: new Types.ObjectId(batch) }, { $set: settled });
    const before = await figures();
    expect(before.stats).toMatchObject({ data: { totalSentSMSCount: 2_300 } });
    service.clock.advance(3 * DAY);
    await removeCounted();
    expect(await left()).toBe(0);
    expect(await figures()).toEqual(before);
  });

  it.each([
    { by: 'creation', batch: 'createdAt', message: 'createdAt' },
    { by: 'deletion', batch: 'hiddenAt', message: 'deletedAt' },
  ])('finds by $by what comes after 1,000 batches that must be kept', async ({ batch, message }) => {
    const old = new Date(service.clock.now().getTime() - 3 * DAY);
    const owner = { user: client.user, device: new Types.ObjectId(device), createdAt: service.clock.now() };
    const newBatch = () => ({
      ...owner,
      _id: new Types.ObjectId(),
      acceptance: 'accepted',
      recipientCount: 1,
      groups: [],
      [batch]: old,
    });
    const newMessage = (status: string, fields: object) => ({
      ...owner,
      direction: 'sent',
      status,
      message: '',
      raised: [],
      outbox: [],
      ...fields,
    });
    const kept = Array.from({ length: 1_001 }, newBatch);
    const removed = Array.from({ length: 3 }, newBatch);
    await service.collection('batches').insertMany([...kept, ...removed]);
    await messages().insertMany([
      ...kept.map(({ _id }) => newMessage('pending', { smsBatch: _id })),
      ...removed.map(({ _id }) => newMessage('sent', { smsBatch: _id })),
      ...Array.from({ length: 1_001 }, () => newMessage('received', { [message]: old })),
    ]);
    await removeCounted();
    expect([
      await messages().countDocuments({ user: client.user, status: { $ne: 'pending' } }),
      await left(),
      await service.collection('batches').countDocuments({ user: client.user }),
    ]).toEqual([0, 1_001, 1_001]);
  });

  const STEPS = (
    ['listBatches', 'hideBatches', 'removeMessagesOf', 'removeEmpty', 'removeUnbatched'] as const
  ).flatMap((method) => (['before', 'after'] as const).map((when) => [when, method] as const));

  it.each(STEPS)('continues when a process dies %s %s', async (when, method) => {
    await sendReported(['SENT', 'DELIVERED', 'odd']);
    await sendReported(['FAILED']);
    await receive('one');
    service.clock.advance(3 * DAY);
    const before = await figures();
    const closed = await close();
    crashAtCall(MessageRetentionRepository, method)(service, when);
    await expect(removeCounted(service, closed)).rejects.toThrow('killed');
    expect(await figures()).toEqual(before);
    await Promise.all([service, other, other].map((each) => removeCounted(each, closed)));
    expect([await left(), await service.collection('batches').countDocuments({ user: client.user })]).toEqual(
      [0, 0],
    );
    expect(await figures()).toEqual(before);
  });

  it.each(['listRemovable', 'hideBatches', 'removeMessagesOf'] as const)(
    'loses no count of a report that comes before %s',
    async (method) => {
      const batch = await sendReported(['odd', 'SENT']);
      const [unknown] = (await client.batch(device, batch)).messages;
      service.clock.advance(3 * DAY);
      const closed = await close();
      const paused = pauseNextCall(service, MessageRetentionRepository, method);
      const removing = removeCounted(service, closed);
      await paused.reached;
      expect((await client.report(device, unknown?._id ?? '', 'SENT')).status).toBe(200);
      paused.release(false);
      await removing;
      const totals = { data: { totalSentSMSCount: 2 } };
      expect((await client.get('/gateway/stats')).body).toMatchObject(totals);
      expect(await left()).toBeGreaterThan(0);
      await relay();
      await removeCounted();
      expect([await left(), (await client.get('/gateway/stats')).body]).toMatchObject([0, totals]);
    },
  );

  it('keeps the totals exact with concurrent closing, removal and traffic', async () => {
    await sendReported(['SENT', 'SENT', 'DELIVERED', 'FAILED']);
    service.clock.advance(3 * DAY);
    const traffic = async () => {
      for (let round = 0; round < 5; round++) {
        await sendReported(['SENT']);
        await receive(`round ${round}`);
      }
    };
    const maintain = async (at: TestService) => {
      for (let round = 0; round < 5; round++) {
        const now = Date.now();
        await at.get(TotalsService).close(account(), new Date(now - 2_000));
        await removeCounted(at, new Date(now - 4_000));
      }
    };
    await Promise.all([traffic(), maintain(service), maintain(other)]);
    const totals = { data: { totalSentSMSCount: 8, totalReceivedSMSCount: 5 } };
    expect((await client.get('/gateway/stats')).body).toMatchObject(totals);
    service.clock.advance(3 * DAY);
    await removeCounted();
    expect([await left(), (await client.get('/gateway/stats')).body]).toMatchObject([0, totals]);
  });
});
