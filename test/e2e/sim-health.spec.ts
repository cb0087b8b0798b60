import { numberedSims, VirtualPhone } from 'messaging-gateway-phone';
import { getConnectionToken } from '@nestjs/mongoose';
import { type Connection, Types } from 'mongoose';
import { SimHealthRepository } from '../../src/devices/sims/sim-health.repository';
import { SimHealthService, type SimOutcome } from '../../src/devices/sims/sim-health.service';
import { SimOutcomeRecorder } from '../../src/messages/reports/sim-outcome-recorder.service';
import { parseReport } from '../../src/messages/reports/status-report';
import type { TestClient } from '../support/client';
import { crashAtCall } from '../support/crash-at-call';
import { eventually } from '../support/eventually';
import { METRICS_TOKEN, Scrape } from '../support/scrape';
import { ScriptedTransport } from '../support/scripted-transport';
import { dispatchWave } from '../support/dispatch-wave';
import { TestService } from '../support/service';
import { newStore } from '../support/test-store';
import { WEBHOOK_SECRET } from '../support/webhook-owner';
import { WebhookReceiver } from '../support/webhook-receiver';

const MINUTE = 60_000;
const ICC = '8949020000000000001';

interface SimJson {
  readonly _id: string;
  readonly device: string;
  readonly subscriptionId?: number;
  readonly health: { readonly state: string; readonly failureRate: number; readonly since?: string };
}

interface StoredSim {
  readonly health?: { readonly failures: { readonly mean: number; readonly weight: number } };
  readonly outbox?: readonly { readonly event: string; readonly details: object }[];
  readonly reviewDueAt?: Date;
}

const numbers = (count: number, first = 0) =>
  Array.from({ length: count }, (_, index) => `+4915${String(first + index).padStart(8, '0')}`);

async function simsOf(client: TestClient): Promise<SimJson[]> {
  return ((await client.get('/gateway/sims')).body as { data: SimJson[] }).data;
}

describe('a SIM that its carrier blocks', () => {
  let service: TestService;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    service = await TestService.start({
      environment: { WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8', METRICS_TOKEN },
    });
  });
  afterAll(async () => {
    await service.stop();
    await receiver.stop();
  });

  it('is found unhealthy within its first messages, raises one event, and is healthy again after canaries', async () => {
    const client = await service.newAccount();
    await client.post('/webhooks', {
      deliveryUrl: receiver.url,
      signingSecret: WEBHOOK_SECRET,
      events: ['SIM_UNHEALTHY'],
    });
    const phone = new VirtualPhone({
      baseUrl: service.url,
      apiKey: client.apiKey,
      sendDelaySeconds: 0,
      deliveryDelaySeconds: 0,
      partsPerMinute: null,
      sims: numberedSims(2, 'blocked'),
    });
    await phone.start();
    const stateOf = async (subscriptionId: number) =>
      (await simsOf(client)).find((sim) => sim.subscriptionId === subscriptionId)?.health;
    const send = async (count: number, status: string) => {
      const batch = await client.send(numbers(count), { simSubscriptionId: 1 });
      await eventually(
        () => client.batch(phone.deviceId, batch),
        ({ messages }) => messages.every((message) => message.status === status),
      );
    };
    const { carrier } = phone.sim(1);

    carrier.block = 'fail';
    await send(20, 'failed');
    const open = await eventually(
      () => stateOf(1),
      (health) => health?.state === 'open',
    );
    expect(open?.failureRate).toBeGreaterThan(0.2);
    expect(open?.since).toEqual(expect.any(String));
    expect(await stateOf(2)).toEqual({ state: 'closed', failureRate: 0.02 });
    const [received] = await eventually(
      () => receiver.received,
      ({ length }) => length > 0,
    );
    expect(received?.event).toMatchObject({
      webhookEvent: 'SIM_UNHEALTHY',
      simId: (await simsOf(client)).find((sim) => sim.subscriptionId === 1)?._id,
      kind: 'failures',
      state: 'open',
    });
    const scrape = await Scrape.of(service);
    expect(scrape.value('messaging_gateway_sims_unhealthy', { state: 'open' })).toBe(1);
    expect(scrape.value('messaging_gateway_sim_breaker_openings_total', { kind: 'failures' })).toBe(1);

    service.clock.advance(5 * MINUTE);
    expect(await stateOf(1)).toMatchObject({ state: 'half-open' });
    carrier.block = undefined;
    await send(3, 'delivered');
    const closed = await eventually(
      () => stateOf(1),
      (health) => health?.state === 'closed',
    );
    expect(closed?.since).not.toBe(open?.since);
    expect(receiver.received).toHaveLength(1);
    await phone.stop();
  });
});

describe('the health of a SIM', () => {
  let service: TestService;
  let second: TestService;
  let transport: ScriptedTransport;
  let client: TestClient;
  let device: string;
  let sim: Types.ObjectId;
  const store = newStore();
  const commands: string[] = [];
  /** Messages that were looked for by id. */
  let looked = 0;

  // No worker and no timer runs: each test calls the steps it needs.
  beforeAll(async () => {
    transport = new ScriptedTransport();
    const uri = new URL(store.environment.MONGODB_URI ?? '');
    uri.searchParams.set('monitorCommands', 'true');
    const environment = { APP_ROLES: 'api,scheduler', MONGODB_URI: uri.href };
    service = await TestService.start({ store, environment, transport });
    second = await TestService.start({ shared: service, environment, transport });
    for (const each of [service, second]) each.stopTimers();
    service.clock.stop();
    service.app
      .get<Connection>(getConnectionToken(), { strict: false })
      .getClient()
      .on('commandStarted', ({ commandName, command }) => {
        commands.push(`${commandName} ${String(command[commandName])}`);
        const { find, filter } = command as { find?: string; filter?: { _id?: { $in?: unknown[] } } };
        if (find === 'messages') looked += filter?._id?.$in?.length ?? 0;
      });
  });
  beforeEach(async () => {
    transport.resultOf = () => ({ outcome: 'accepted' });
    client = await service.newAccount();
    const simInfo = { sims: [{ subscriptionId: 1, simSlotIndex: 0 }] };
    device = await client.newDevice({ simInfo, partsPerMinute: null });
    const [first] = await simsOf(client);
    sim = new Types.ObjectId(first?._id);
  });
  afterAll(async () => {
    await second.stop();
    await service.stop();
    await store.drop();
  });

  const health = (on = service) => on.get(SimHealthService);
  const shown = async (id = sim) => (await simsOf(client)).find(({ _id }) => id.equals(_id))?.health;
  const stored = async (id = sim) =>
    (await service.collection('sims').findOne({ _id: id })) as StoredSim | null;
  const unhealthyEvents = async () =>
    (await stored())?.outbox?.filter(({ event }) => event === 'SIM_UNHEALTHY') ?? [];
  const outcome = (kind: SimOutcome['kind'], peerNumber: string, id = sim): SimOutcome => ({
    sim: id,
    kind,
    peerNumber,
    at: service.clock.now(),
    ...(kind === 'failed' && { code: '1' }),
  });
  const fail = (count: number, on = service, id = sim) =>
    health(on).record(numbers(count).map((number) => outcome('failed', number, id)));
  const deliver = (count: number) =>
    health().record(
      numbers(count).flatMap((number) => [outcome('sent', number), outcome('delivered', number)]),
    );
  /** Sends messages, and has a worker hand them to the phone. @returns their ids. */
  const dispatched = async (count: number, fields: object = {}) => {
    const batch = await client.send(numbers(count), fields);
    await dispatchWave(service, batch);
    return (await client.batch(device, batch)).messages.map(({ _id }) => _id);
  };
  const report = async (ids: readonly string[], status: string, fields: object = {}, on = service) => {
    const phone = client.at(on.url);
    for (const id of ids) expect((await phone.report(device, id, status, fields)).status).toBe(200);
  };
  const flush = (on = service) => on.get(SimOutcomeRecorder).flush();

  it('counts what phones report, with three commands for any number of reports', async () => {
    const ids = await dispatched(20);
    commands.length = 0;
    await report(ids.slice(0, 10), 'SENT');
    await report(ids.slice(0, 5), 'DELIVERED');
    await report(ids.slice(0, 5), 'DELIVERED');
    await report(ids.slice(10), 'FAILED', { errorCode: '1' });
    expect(commands.filter((command) => command.endsWith(' sims'))).toEqual([]);
    commands.length = 0;
    await flush();
    expect(commands).toEqual(['find messages', 'find sims', 'update sims']);
    expect((await stored())?.health?.failures).toMatchObject({ weight: 50 + 20 });
    expect(await shown()).toMatchObject({
      state: 'closed',
      failureRate: expect.closeTo(11 / 70, 3) as number,
    });
    commands.length = 0;
    await flush();
    expect(commands).toEqual([]);
  });

  it('ignores what the push service refuses, and what the recipient or the text caused', async () => {
    transport.resultOf = () => ({ outcome: 'refused', code: 'PUSH_REFUSED', isTokenInvalid: false });
    await dispatched(20);
    transport.resultOf = () => ({ outcome: 'accepted' });
    await report(await dispatched(20), 'FAILED', { errorCode: '7' });
    await flush();
    expect(await shown()).toEqual({ state: 'closed', failureRate: 0.02 });
  });

  it('counts a message of which only the delivery is reported as sent', async () => {
    const ids = await dispatched(40);
    for (let index = 0; index < 40; index += 2) {
      await report(ids.slice(index, index + 1), 'DELIVERED');
      await report(ids.slice(index + 1, index + 2), 'FAILED', { errorCode: '1' });
    }
    await flush();
    expect(await shown()).toMatchObject({ state: 'closed' });
    expect((await stored())?.health?.failures.weight).toBe(50 + 40);
  });

  it('counts for the SIM that the phone chose', async () => {
    const simInfo = {
      sims: [1, 2].map((subscriptionId) => ({ subscriptionId, simSlotIndex: subscriptionId - 1 })),
    };
    await client.patch(`/gateway/devices/${device}`, { simInfo });
    await report(await dispatched(14), 'FAILED', { errorCode: '1', simUsed: 2 });
    await flush();
    const states = (await simsOf(client)).map(({ subscriptionId, health: { state } }) => [
      subscriptionId,
      state,
    ]);
    expect(states).toEqual([
      [1, 'closed'],
      [2, 'open'],
    ]);
  });

  it('loses no outcome of two processes, and opens once', async () => {
    await Promise.all(
      numbers(20).map((number, index) =>
        health(index % 2 === 0 ? service : second).record([outcome('failed', number)]),
      ),
    );
    expect((await stored())?.health?.failures.weight).toBe(50 + 20);
    expect(await shown()).toMatchObject({ state: 'open' });
    expect(await unhealthyEvents()).toMatchObject([
      { details: { simId: sim.toHexString(), subscriptionId: 1, state: 'open', kind: 'failures' } },
    ]);
    // Its waiting messages are decided on again.
    expect((await stored())?.reviewDueAt).toBeInstanceOf(Date);
  });

  it('loses only what a killed process had not stored, and stores the rest on a shutdown', async () => {
    const ids = await dispatched(14);
    const weight = async () => (await stored())?.health?.failures.weight;
    crashAtCall(SimHealthRepository, 'change')(second, 'before');
    await report(ids.slice(0, 4), 'FAILED', { errorCode: '1' }, second);
    await flush(second);
    expect(await weight()).toBeUndefined();
    crashAtCall(SimHealthRepository, 'change')(second, 'after');
    await report(ids.slice(4, 8), 'FAILED', { errorCode: '1' }, second);
    await flush(second);
    await flush(second);
    await report(ids.slice(8, 11), 'FAILED', { errorCode: '1' });
    await flush();
    expect(await weight()).toBe(50 + 4 + 3);
    const stopping = await TestService.start({ shared: service, environment: { APP_ROLES: 'api' } });
    stopping.stopTimers();
    await report(ids.slice(11), 'FAILED', { errorCode: '1' }, stopping);
    await stopping.stop();
    expect(await weight()).toBe(50 + 4 + 3 + 3);
  });

  it('opens without a further message once deliveries are missing, in one of two processes', async () => {
    for (let round = 0; round < 4; round++) {
      await deliver(64);
      service.clock.advance(5 * MINUTE);
      await Promise.all([health().expireDue(10), health(second).expireDue(10)]);
    }
    await health().record(numbers(64).map((number) => outcome('sent', number)));
    expect(await shown()).toMatchObject({ state: 'closed' });
    service.clock.advance(5 * MINUTE - 1);
    await health().expireDue(10);
    expect(await shown()).toMatchObject({ state: 'closed' });
    service.clock.advance(1);
    await Promise.all([health().expireDue(10), health(second).expireDue(10)]);
    expect(await shown()).toMatchObject({ state: 'open' });
    expect(await unhealthyEvents()).toMatchObject([{ details: { kind: 'silence' } }]);
  });

  it('gives the canary of a half-open SIM to one message, and fails it without a result', async () => {
    const claim = (on = service) => health(on).leaseCanary(sim, '+4915199999999');
    expect(await claim()).toBe('closed');
    await fail(14);
    expect(await claim()).toBeUndefined();
    service.clock.advance(5 * MINUTE);
    const claims = await Promise.all(
      Array.from({ length: 8 }, (_, index) => claim(index % 2 === 0 ? service : second)),
    );
    expect(claims.filter((canary) => canary)).toHaveLength(1);
    expect(await shown()).toMatchObject({ state: 'half-open' });
    service.clock.advance(10 * MINUTE);
    await health().expireDue(10);
    expect(await shown()).toMatchObject({ state: 'open' });
    service.clock.advance(10 * MINUTE);
    for (let canary = 0; canary < 3; canary++) {
      expect(await claim()).toMatchObject({ at: service.clock.now() });
      await health().record([outcome('sent', '+4915199999999')]);
    }
    expect(await shown()).toMatchObject({ state: 'closed' });
    expect(await health().leaseCanary(new Types.ObjectId(), '+4915199999999')).toBeUndefined();
  });

  it('keeps a bounded number of reports in memory', async () => {
    const recorder = service.get(SimOutcomeRecorder);
    const phone = new Types.ObjectId();
    // What earlier tests have reported.
    await flush();
    for (const status of ['sent', 'delivered']) {
      for (let count = 0; count < 2_000; count++)
        recorder.record(
          phone,
          { _id: new Types.ObjectId(), user: phone },
          parseReport({ status }, service.clock.now()),
          true,
        );
    }
    commands.length = 0;
    looked = 0;
    await flush();
    expect(commands.filter((command) => /messages|sims/.test(command))).toEqual(['find messages']);
    expect(looked).toBe(1_000);
  });

  it('resets on request', async () => {
    await fail(14);
    const reset = (resetHealth: unknown) =>
      client.patch(`/gateway/sims/${sim.toHexString()}`, { resetHealth });
    expect((await reset('yes')).body).toMatchObject({ error: 'resetHealth must be a boolean value' });
    await reset(false);
    expect(await shown()).toMatchObject({ state: 'open' });
    await Promise.all([
      reset(true),
      ...numbers(5).map((number) => health(second).record([outcome('sent', number)])),
    ]);
    expect(await shown()).toEqual({ state: 'closed', failureRate: expect.any(Number) as number });
    await fail(14);
    expect(await shown()).toMatchObject({ state: 'open' });
  });

  it('stays with a card that moves, and with one of which two records become one', async () => {
    const other = await client.newDevice({ simInfo: { sims: [{ subscriptionId: 5, iccId: ICC }] } });
    const card = (await simsOf(client)).find(({ subscriptionId }) => subscriptionId === 5)?._id;
    const heartbeat = (phone: string, sims: object[]) =>
      client.post(`/gateway/devices/${phone}/heartbeat`, { simInfo: { lastUpdated: 1, sims } });
    await fail(14);
    await heartbeat(device, [{ subscriptionId: 1, simSlotIndex: 0, iccId: ICC }]);
    expect(await simsOf(client)).toMatchObject([{ _id: card, device, health: { state: 'open' } }]);
    const { outbox } = (await stored(new Types.ObjectId(card))) ?? {};
    expect(outbox).toMatchObject([{ event: 'SIM_UNHEALTHY', details: { simId: sim.toHexString() } }]);
    await heartbeat(other, [{ subscriptionId: 6, iccId: ICC }]);
    expect(await simsOf(client)).toMatchObject([
      { _id: card, device: other, subscriptionId: 6, health: { state: 'open' } },
    ]);
  });
});
