import { Types } from 'mongoose';
import { SimHealthService } from '../../src/devices/sims/sim-health.service';
import { UnconfirmedMessagesService } from '../../src/phones/checks/unconfirmed-messages.service';
import { DeliveryRunnerPool } from '../../src/webhooks/runners/delivery-runner-pool.service';
import { OutboxRelayService } from '../../src/webhooks/relay/outbox-relay.service';
import type { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { newPool } from '../support/new-pool';
import { ScriptedTransport } from '../support/scripted-transport';
import { dispatchWave } from '../support/dispatch-wave';
import { TestService } from '../support/service';
import { respondWith, WebhookReceiver } from '../support/webhook-receiver';
import { WEBHOOK_SECRET } from '../support/webhook-owner';

const NUMBERS = ['+4915112345678', '+4915112345679'];
const SIMS = { simInfo: { sims: [{ subscriptionId: 1, simSlotIndex: 0, carrierName: 'Vodafone' }] } };
const MINUTE = 60_000;

interface StepJson {
  readonly at: string;
  readonly code: string;
  readonly text: string;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly deliveryId?: string;
}

describe('the explanation of a message', () => {
  let service: TestService;
  let transport: ScriptedTransport;
  let receiver: WebhookReceiver;
  let client: TestClient;
  let device: string;

  // No worker and no timer runs: each test calls the steps it needs.
  beforeAll(async () => {
    transport = new ScriptedTransport();
    service = await TestService.start({
      environment: { APP_ROLES: 'api,scheduler', WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' },
      transport,
    });
    service.stopTimers();
    service.clock.stop();
    receiver = await WebhookReceiver.start();
  });
  beforeEach(async () => {
    transport.resultOf = () => ({ outcome: 'accepted' });
    transport.pushed.length = 0;
    receiver.respond = respondWith(200);
    client = await service.newAccount();
    device = await client.newDevice({ ...SIMS, name: 'Front desk' });
  });
  afterAll(async () => {
    await receiver.stop();
    await service.stop();
  });

  const explain = async (id: string): Promise<StepJson[]> => {
    const answer = await client.get(`/gateway/messages/${id}/explanation`);
    expect(answer.status).toBe(200);
    return (answer.body as { data: { steps: StepJson[] } }).data.steps;
  };
  const codes = async (id: string) => (await explain(id)).map(({ code }) => code);
  const textOf = async (id: string, code: string) =>
    (await explain(id)).find((step) => step.code === code)?.text;
  const factsOf = async (id: string, code: string) =>
    (await explain(id)).find((step) => step.code === code)?.facts;
  const send = async (recipients = NUMBERS.slice(0, 1), fields: object = {}) => {
    const batch = await client.send(recipients, { deviceId: device, ...fields });
    const { messages } = await client.batch(device, batch);
    return { batch, ids: messages.map(({ _id }) => _id), id: messages[0]?._id ?? '' };
  };
  const dispatch = (batch: string) => dispatchWave(service, batch);
  const subscribe = async (events: string[]) => {
    const body = { name: 'Orders', deliveryUrl: receiver.url, signingSecret: WEBHOOK_SECRET, events };
    const answer = await client.post('/webhooks', body);
    return (answer.body as { data: { _id: string } }).data._id;
  };
  /** What the jobs do. */
  const deliver = async (webhook: string) => {
    await service.get(OutboxRelayService).relay();
    await service.get(DeliveryRunnerPool).ensureRunning(new Types.ObjectId(webhook));
  };
  const stored = (id: string) => ({ _id: new Types.ObjectId(id) });
  const store = (id: string, set: object) =>
    service.collection('messages').updateOne(stored(id), { $set: set });

  it('tells the way of a message from its send to its webhooks', async () => {
    const webhook = await subscribe(['MESSAGE_SENT']);
    const { batch, id } = await send(NUMBERS);
    expect(await codes(id)).toEqual(['accepted', 'sim_not_chosen', 'due']);
    expect(await textOf(id, 'accepted')).toBe('The send to 2 recipients was accepted.');
    expect(await factsOf(id, 'accepted')).toEqual({ recipients: 2, batch });
    service.clock.advance(1_000);
    await dispatch(batch);
    expect(await codes(id)).toEqual(['accepted', 'sim_only_one', 'handed_over', 'acknowledgement_missing']);
    expect(await textOf(id, 'sim_only_one')).toBe(
      'The Vodafone SIM in slot 1 is the only one of Front desk.',
    );
    service.clock.advance(1_000);
    await client.post(`/gateway/devices/${device}/messages/ack`, { smsIds: [id] });
    expect(await codes(id)).toEqual([
      'accepted',
      'sim_only_one',
      'handed_over',
      'acknowledged',
      'report_missing',
    ]);
    service.clock.advance(1_000);
    await client.report(device, id, 'SENT');
    expect(await textOf(id, 'webhook_not_relayed')).toMatch(
      /^MESSAGE_SENT is not relayed yet to Orders \(127/,
    );
    receiver.respond = respondWith(500);
    await deliver(webhook);
    const retrying = await eventually(
      () => textOf(id, 'webhook_retrying'),
      (text) => text !== undefined,
    );
    expect(retrying).toMatch(
      /^The webhook "Orders" at 127\.0\.0\.1:\d+ could not be told MESSAGE_SENT yet\. There was 1 attempt, answered with 500\. The next attempt is due on .* UTC\.$/,
    );
    service.clock.advance(1_000);
    await client.report(device, id, 'DELIVERED');
    const steps = await explain(id);
    expect(steps.map(({ code }) => code)).toEqual([
      'accepted',
      'sim_only_one',
      'handed_over',
      'acknowledged',
      'sent',
      'webhook_retrying',
      'delivered',
      'webhook_not_relayed',
    ]);
    const times = steps.map(({ at }) => at);
    expect(times).toEqual([...times].sort());
    const named = steps.flatMap(({ code, deliveryId }) => (deliveryId ? [[code, deliveryId]] : []));
    const delivery = await service.collection('webhookdeliveries').findOne({ user: client.user });
    expect(named).toEqual([['webhook_retrying', String(delivery?._id)]]);
    // The history of a deleted webhook stays.
    await client.delete(`/webhooks/${webhook}`);
    const [told] = (await explain(id)).filter(({ code }) => /^webhook_(retrying|failed)$/.test(code));
    expect(told?.text).toContain('"Orders"');
  });

  it('tells the pool that chose its SIM, and that the SIM is unhealthy', async () => {
    const { data } = (await client.get('/gateway/sims')).body as { data: { _id: string }[] };
    const sim = data[0]?._id ?? '';
    const poolId = await newPool(service, client, [sim], { name: 'Orders' });
    const { ids } = await send(NUMBERS.slice(0, 1), { deviceId: undefined, poolId });
    const [id = ''] = ids;
    const read = (await client.get(`/gateway/messages/${id}`)).body as { data: object };
    expect(read.data).toMatchObject({ _id: id, pool: poolId, sim });
    expect(await textOf(id, 'sim_chosen_by_pool')).toMatch(/^Its pool "Orders" chose the Vodafone SIM/);
    const failed = Array.from({ length: 14 }, (_, index) => `+49151${10_000_000 + index}`);
    await service.get(SimHealthService).record(
      failed.map((peerNumber) => ({
        kind: 'failed',
        code: '1',
        peerNumber,
        at: service.clock.now(),
        sim: new Types.ObjectId(sim),
      })),
    );
    expect(await textOf(id, 'sim_unhealthy')).toContain('one message of its pools at a time');
  });

  it('tells what a message waits for, and that its phone is offline', async () => {
    const sims = (await client.get('/gateway/sims')).body as { data: { _id: string }[] };
    const sim = sims.data[0]?._id ?? '';
    await client.patch(`/gateway/sims/${sim}`, {
      label: 'Work',
      limits: { messagesPerDay: 1, timeZone: 'UTC' },
    });
    const { batch, ids } = await send(NUMBERS);
    await dispatch(batch);
    const waiting = await Promise.all(ids.map((id) => textOf(id, 'waiting')));
    const [text] = waiting.filter((each) => each !== undefined);
    expect(text).toMatch(
      /^It waits: the SIM "Work" has reached its limit of messages a day\. It can leave on .* at 00:00 UTC\.$/,
    );
    const closedAt = service.clock.now();
    await service.collection('devices').updateOne(stored(device), {
      $set: { stream: { id: new Types.ObjectId(), openedAt: closedAt, closedAt } },
    });
    service.clock.advance(25 * MINUTE);
    for (const id of ids)
      expect(await textOf(id, 'phone_offline')).toBe('Front desk has been offline for 25 minutes.');
  });

  it('tells failures, cancellations and messages without a report', async () => {
    const failed = await send();
    await dispatch(failed.batch);
    await client.report(device, failed.id, 'FAILED', { errorCode: '4' });
    expect(await textOf(failed.id, 'failed')).toContain('The phone has no service.');
    expect(await factsOf(failed.id, 'failed')).toEqual({ code: '4' });
    expect(await codes(failed.id)).toContain('webhook_not_relayed');
    await service.get(OutboxRelayService).relay();
    expect(await textOf(failed.id, 'webhook_none')).toContain('MESSAGE_FAILED');

    const other = await client.newDevice({
      name: 'Back office',
      simInfo: {
        sims: [...SIMS.simInfo.sims, { subscriptionId: 2, simSlotIndex: 1, carrierName: 'Orange' }],
      },
    });
    const left = await client.send(NUMBERS.slice(0, 1), { deviceId: other });
    const [ofOther] = (await client.batch(other, left)).messages;
    await dispatch(left);
    await client.report(other, ofOther?._id ?? '', 'FAILED', { errorCode: '4', simUsed: 2 });
    expect(await textOf(ofOther?._id ?? '', 'sim_used')).toMatch(
      /^Its SIM was the Orange SIM in slot 2 of Back office,/,
    );

    const cancelled = await send();
    await client.post(`/gateway/messages/${cancelled.id}/cancel`);
    expect(await textOf(cancelled.id, 'cancelled')).toBe('It was cancelled before it left.');

    const refused = await send();
    transport.resultOf = () => ({ outcome: 'unavailable' });
    await dispatch(refused.batch);
    expect(await textOf(refused.id, 'push_retry')).toContain('in 1 attempt.');

    const silent = await send();
    transport.resultOf = () => ({ outcome: 'accepted' });
    await dispatch(silent.batch);
    service.clock.advance(25 * 60 * MINUTE);
    await service.get(UnconfirmedMessagesService).markUnconfirmed();
    expect(await textOf(silent.id, 'unconfirmed')).toContain('did not report for 24 hours');
    await client.delete(`/gateway/devices/${device}`);
    expect(await textOf(silent.id, 'phone_deleted')).toBe('Front desk was deleted.');
  });

  it('tells which phones and SIMs of a pool tried it', async () => {
    const { batch, id } = await send();
    await dispatch(batch);
    const sims = (await client.get('/gateway/sims')).body as { data: { _id: string }[] };
    const other = new Types.ObjectId(await client.newDevice({ name: 'Warehouse' }));
    const sim = new Types.ObjectId(sims.data[0]?._id);
    const endedAt = service.clock.now();
    service.clock.advance(MINUTE);
    const attempt = { device: new Types.ObjectId(device), sim, endedAt, outcome: 'not_sent', code: '2' };
    const choice = { reason: 'least_loaded', at: service.clock.now() };
    await store(id, {
      device: other,
      pool: new Types.ObjectId(),
      choice,
      attempts: [attempt],
      dispatchedAt: choice.at,
    });
    expect(await codes(id)).toEqual([
      'accepted',
      'attempt_not_sent',
      'sim_chosen_by_pool',
      'handed_over',
      'acknowledgement_missing',
    ]);
    expect(await textOf(id, 'attempt_not_sent')).toMatch(
      /^Front desk reported that it could not send it with the Vodafone SIM in slot 1 \(2\)\./,
    );
    expect(await textOf(id, 'handed_over')).toContain('Warehouse');
  });

  it('tells how a message was received, and bounds the deliveries it lists', async () => {
    const webhook = new Types.ObjectId(await subscribe(['MESSAGE_RECEIVED']));
    const answer = await client.post(`/gateway/devices/${device}/receive-sms`, {
      sender: '+447700900123',
      message: 'x'.repeat(10_001),
      receivedAtInMillis: service.clock.now().getTime(),
    });
    expect(answer.status).toBeLessThan(300);
    const found = await service.collection('messages').findOne({ user: client.user, direction: 'received' });
    const id = String(found?._id);
    expect(await codes(id)).toEqual([
      'received',
      'uploaded',
      'truncated',
      'deduplicated',
      'webhook_not_relayed',
    ]);
    await deliver(webhook.toHexString());
    await eventually(
      () => codes(id),
      (steps) => steps.includes('webhook_delivered'),
    );
    const delivery = await service.collection('webhookdeliveries').findOne({ webhookSubscription: webhook });
    const copies = Array.from({ length: 109 }, (_, index) => ({
      ...delivery,
      _id: new Types.ObjectId(),
      reportedStatus: String(index),
    }));
    await service.collection('webhookdeliveries').insertMany(copies);
    const steps = await explain(id);
    expect(steps.filter(({ code }) => code === 'webhook_delivered')).toHaveLength(100);
    expect(steps.at(-1)).toMatchObject({
      code: 'webhook_more',
      text: expect.stringContaining('10 more') as string,
    });
  });

  it('responds to deleted messages, those of others, and sends that are not accepted with 404', async () => {
    const gone = async (id: string, by = client) => {
      const answer = await by.get(`/gateway/messages/${id}/explanation`);
      expect([answer.status, (answer.body as { code: string }).code]).toEqual([404, 'MESSAGE_NOT_FOUND']);
    };
    const { batch, id } = await send();
    await gone(id, await service.newAccount());
    await gone(new Types.ObjectId().toHexString());
    await service.collection('batches').updateOne(stored(batch), { $set: { acceptance: 'accepting' } });
    await gone(id);
    await service.collection('batches').updateOne(stored(batch), { $set: { acceptance: 'accepted' } });
    await dispatch(batch);
    await client.report(device, id, 'SENT');
    expect((await client.delete(`/gateway/messages/${id}`)).status).toBe(200);
    await gone(id);
    const malformed = await client.get('/gateway/messages/nonsense/explanation');
    expect(malformed.body).toMatchObject({ code: 'VALIDATION_FAILED' });
  });
});
