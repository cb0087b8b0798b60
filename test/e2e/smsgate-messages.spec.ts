import { Types } from 'mongoose';
import { SmsGateStreams } from '../../src/phones/smsgate/smsgate-streams.service';
import { WakeHub } from '../../src/push/wake/wake-hub';
import { WakeTransport } from '../../src/push/wake/wake-transport';
import { eventually } from '../support/eventually';
import type { MessageJson } from '../support/client';
import type { SmsGateApp, SmsGateAppOptions } from '../support/smsgate/smsgate-app';
import { SmsGateSite } from '../support/smsgate/smsgate-site';
import { TestService } from '../support/service';

const HOUR = 3_600_000;
const UNPACED = { partsPerMinute: null, smsSendDelaySeconds: 0 };

describe('messages through the app SMSGate', () => {
  let service: TestService;
  let other: TestService;
  let site: SmsGateSite;

  beforeAll(async () => {
    service = await TestService.start();
    other = await TestService.start({ shared: service, environment: { APP_ROLES: 'api' } });
  });
  beforeEach(async () => {
    site = await SmsGateSite.create(service);
  });
  afterEach(() => {
    site.stop();
  });
  afterAll(async () => {
    await other.stop();
    await service.stop();
  });

  async function pair(options: Partial<SmsGateAppOptions> = {}): Promise<SmsGateApp> {
    const app = await site.pair(options);
    await site.client.patch(`/gateway/devices/${app.deviceId}`, UNPACED).expect(200);
    return app;
  }

  const recipients = (count: number) =>
    Array.from({ length: count }, (_, index) => `+4477009${String(index).padStart(5, '0')}`);

  async function send(app: SmsGateApp, fields: object = {}, to = recipients(1)): Promise<string> {
    return site.client.send(to, { deviceId: app.deviceId, ...fields });
  }
  const messages = async (app: SmsGateApp, batch: string): Promise<MessageJson[]> =>
    (await site.client.batch(app.deviceId, batch)).messages;
  const until = (app: SmsGateApp, batch: string, status: string, timeoutMs?: number) =>
    eventually(
      () => messages(app, batch),
      (all) => all.length > 0 && all.every((each) => each.status === status),
      timeoutMs,
    );
  const aired = (app: SmsGateApp, count: number) =>
    eventually(
      () => app.aired.length,
      (length) => length === count,
    );
  const report = (app: SmsGateApp, body: unknown) =>
    site.call('patch', '/message', app.registration).send(body as object);
  async function list(app: SmsGateApp): Promise<string[]> {
    const answer = await site.call('get', '/message?order=fifo', app.registration).expect(200);
    return (answer.body as { id: string }[]).map(({ id }) => id);
  }
  /** An app that takes no message by itself, so that the test makes its calls. */
  async function pairSilent(version = '1.68.0'): Promise<SmsGateApp> {
    const app = await pair({ version });
    app.stop();
    return app;
  }
  /** Sends, and fetches as the app does until it is listed. @returns its id. */
  async function listOne(app: SmsGateApp, fields: object = {}): Promise<string> {
    const batch = await send(app, fields);
    const [id] = await eventually(
      () => messages(app, batch),
      (all) => all.length === 1,
    ).then((all) => all.map(({ _id }) => _id));
    await eventually(
      () => list(app),
      (ids) => id !== undefined && ids.includes(id),
    );
    return id ?? '';
  }
  const message = (app: SmsGateApp, id: string) => site.client.message(app.deviceId, id);

  it('leave the phone once, and end delivered with the times of the phone', async () => {
    const app = await pair();
    const batch = await send(app, {
      message: 'Grüße 👋',
      priority: 'urgent',
      validUntil: new Date(service.clock.now().getTime() + HOUR).toISOString(),
    });
    const [delivered] = await until(app, batch, 'delivered');
    const stored = app.storage.sms.get(delivered?._id ?? '');
    expect(stored).toMatchObject({ text: 'Grüße 👋', priority: 100, withDeliveryReport: true });
    const time = (state: 'Processed' | 'Sent' | 'Delivered') =>
      new Date(stored?.states[state] ?? 0).toISOString();
    expect(delivered).toMatchObject({
      sendAttemptedAt: time('Processed'),
      sentAt: time('Sent'),
      deliveredAt: time('Delivered'),
      pushReceivedAt: expect.any(String) as string,
      dispatchedAt: expect.any(String) as string,
    });
    expect(app.aired).toMatchObject([{ phoneNumber: '+447700900000' }]);
    expect([app.errors, app.violations]).toEqual([[], []]);
  });

  it('that wait for a phone arrive in lists of 100', async () => {
    const app = await pair();
    app.stop();
    const batch = await send(app, {}, recipients(250));
    await eventually(
      () => {
        service.clock.advance(60_000);
        return messages(app, batch);
      },
      (all) => all.length === 250 && all.every((each) => JSON.stringify(each).includes('phone_fetch')),
    );
    expect(await list(app)).toHaveLength(100);
    const again = await site.restart(app);
    // A thousand reports.
    await until(again, batch, 'delivered', 240_000);
    expect(again.aired).toHaveLength(250);
    expect(again.storage.airedTwice()).toEqual([]);
    expect(again.violations).toEqual([]);
  });

  it('sent within two seconds share an event, and none is forgotten', async () => {
    const app = await pair();
    await eventually(
      () => app.fetcher.completed,
      (count) => count === 1,
    );
    const start = performance.now();
    const batches = await Promise.all(recipients(6).map((to) => send(app, {}, [to])));
    await aired(app, 6);
    const events = app.events.filter(({ name }) => name === 'MessageEnqueued').length;
    expect(events).toBeGreaterThan(0);
    expect(events).toBeLessThanOrEqual(2 + Math.floor((performance.now() - start) / 2_000));
    for (const batch of batches) await until(app, batch, 'delivered');
  });

  it('are listed until they are reported, and leave the phone once although its reports are lost', async () => {
    const deaf = await pair({ dropStateReports: 1 });
    const batch = await send(deaf, {}, recipients(3));
    await aired(deaf, 3);
    expect((await messages(deaf, batch)).map(({ status }) => status)).toEqual(Array(3).fill('dispatched'));
    const app = await site.restart(deaf, { dropStateReports: 0 });
    await until(app, batch, 'delivered');
    expect(app.aired).toHaveLength(3);
    expect(app.errors).toEqual([]);
  });

  it('end right with three reports of ten lost in the network', async () => {
    const app = await pair({
      failStateReports: 0.2,
      loseReportAnswers: 0.1,
      reportDelay: 2_000,
      timeScale: 0.001,
    });
    const batch = await send(app, {}, recipients(30));
    await until(app, batch, 'delivered');
    expect(app.storage.airedTwice()).toEqual([]);
  });

  it('that were acknowledged are listed again when their last report is overdue', async () => {
    let reports = 0;
    const app = await pair({
      dropStateReports: 0.5,
      // The first report arrives, all others are lost.
      random: () => ((reports += 1) <= 4 ? 0.9 : 0),
    });
    const batch = await send(app);
    await eventually(
      async () => (await messages(app, batch))[0],
      (each) => each?.pushReceivedAt !== undefined,
    );
    expect(await list(app)).toEqual([]);
    app.stop();
    service.clock.advance(3 * HOUR + 60_000);
    const again = await site.restart(app, { dropStateReports: 0, random: Math.random });
    await until(again, batch, 'delivered');
    expect(again.aired).toHaveLength(1);
  });

  it('are listed for a day at most, and then unknown', async () => {
    const app = await pairSilent();
    const id = await listOne(app);
    service.clock.advance(23 * HOUR);
    expect(await list(app)).toEqual([id]);
    service.clock.advance(2 * HOUR);
    expect(await list(app)).toEqual([]);
    await eventually(
      () => message(app, id),
      ({ status }) => status === 'unknown',
    );
    await report(app, [{ id, state: 'Sent' }]).expect(204);
    expect(await message(app, id)).toMatchObject({ status: 'sent' });
  });

  it('that the phone says again and again that it has are listed for a day at most', async () => {
    const app = await pairSilent();
    const id = await listOne(app);
    for (const hours of [6, 6, 6, 5]) {
      await report(app, [{ id, state: 'Processed' }]).expect(204);
      service.clock.advance(hours * HOUR);
      expect(await list(app)).toEqual([id]);
    }
    await report(app, [{ id, state: 'Processed' }]).expect(204);
    service.clock.advance(2 * HOUR);
    expect(await list(app)).toEqual([]);
  });

  it('arrive after the stream was cut, and once on two streams of two processes', async () => {
    const app = await pair({ apiUrl: `${other.url}/sms` });
    app.streams.add();
    await eventually(
      () => app.streams.open,
      (open) => open === 2,
    );
    app.streams.cut();
    const batch = await send(app);
    await until(app, batch, 'delivered');
    await eventually(
      () => app.streams.open,
      (open) => open === 2,
    );
    const countAnnounced = () => app.events.filter(({ name }) => name === 'MessageEnqueued').length;
    const announcedBefore = countAnnounced();
    await until(app, await send(app), 'delivered');
    expect(app.aired).toHaveLength(2);
    // On each stream.
    await eventually(countAnnounced, (count) => count >= announcedBefore + 2);
  });

  describe('that are cancelled', () => {
    const cancel = (id: string) => site.client.post(`/gateway/messages/${id}/cancel`);

    it.each(['1.60.0', '1.68.0'])(
      'before they were listed are never given to version %s',
      async (version) => {
        const app = await pairSilent(version);
        const batch = await send(app);
        const [{ _id: id } = { _id: '' }] = await eventually(
          () => messages(app, batch),
          (all) => all.length === 1,
        );
        await cancel(id).expect(200);
        expect(await list(app)).toEqual([]);
        const again = await site.restart(app);
        await until(again, await send(again), 'delivered');
        expect(again.aired.map((each) => each.id)).not.toContain(id);
      },
    );

    it('after they were listed are not listed again to version 1.60.0, which hears nothing of it', async () => {
      const app = await pairSilent('1.60.0');
      const id = await listOne(app);
      await cancel(id);
      expect(await list(app)).toEqual([]);
      const again = await site.restart(app);
      await until(again, await send(again), 'delivered');
      expect(again.aired.map((each) => each.id)).not.toContain(id);
      expect(again.violations).toEqual([]);
    });

    it('while they wait in the phone are cancelled there by version 1.67.0, which confirms', async () => {
      const app = await pair({ version: '1.67.0' });
      app.storage.settings = { ...app.storage.settings, sendInterval: 3_600 };
      const batch = await send(app, {}, recipients(2));
      await aired(app, 1);
      const waiting = await eventually(
        async () => (await messages(app, batch)).find(({ _id }) => _id !== app.aired[0]?.id),
        (each) => each?.pushReceivedAt !== undefined,
      );
      await cancel(waiting?._id ?? '').expect(200);
      await eventually(
        () => message(app, waiting?._id ?? ''),
        ({ status }) => status === 'cancelled' || status === 'failed',
      );
      expect(app.storage.sms.get(waiting?._id ?? '')?.state).toBe('Cancelled');
      expect(app.aired).toHaveLength(1);
      expect(app.violations).toEqual([]);
    });
  });

  it('leave by the SIM that was asked for', async () => {
    const app = await pair();
    await until(app, await send(app, { simSubscriptionId: 2 }), 'delivered');
    expect(app.aired).toMatchObject([{ simNumber: 2 }]);
  });

  it.each([
    ['SIM 9 of an app that lists none', { version: '1.60.0' }, { simSubscriptionId: 9 }, 'SIM_NOT_FOUND'],
    [
      'no permission to choose a SIM',
      { permissions: { sendSms: true, phone: false } },
      { simSubscriptionId: 1 },
      'SIM_NOT_FOUND',
    ],
    ['no permission to send', { permissions: { sendSms: false, phone: true } }, {}, 'PERMISSION_DENIED'],
    [
      'no service',
      { radio: () => ({ error: 'Send result: RESULT_ERROR_NO_SERVICE' }) },
      {},
      'RESULT_ERROR_NO_SERVICE',
    ],
    ['an unnamed failure', { radio: () => ({ error: 'Something else' }) }, {}, undefined],
    ['a failed delivery after it was sent', { radio: () => ({ undelivered: 69 }) }, {}, 'DELIVERY_FAILED'],
  ] as const)('fail with %s', async (_name, options, fields, errorCode) => {
    const app = await pair(options);
    const [failed] = await until(app, await send(app, fields), 'failed');
    expect(failed?.errorCode).toBe(errorCode);
    expect(failed?.errorMessage).toBe(app.storage.sms.get(failed?._id ?? '')?.error);
  });

  it('whose time ends before the phone sends them expire', async () => {
    const app = await pair({ now: () => service.clock.now().getTime() + 2 * HOUR });
    const validUntil = new Date(service.clock.now().getTime() + HOUR).toISOString();
    const [expired] = await until(app, await send(app, { validUntil }), 'failed');
    expect([expired?.errorCode, app.aired]).toEqual(['EXPIRED', []]);
  });

  it('never move backwards by reports that arrive late, twice or out of order', async () => {
    const app = await pairSilent();
    const id = await listOne(app);
    const at = (second: number) =>
      new Date(service.clock.now().getTime() + second).toISOString().replace('Z', '+00:00');
    const states = { Pending: at(1), Processed: at(2), Sent: at(3), Delivered: at(4) };
    for (const state of ['Delivered', 'Sent', 'Pending', 'Delivered', 'Processed', 'Failed', 'Invented'])
      await report(app, [
        { id, state, states, recipients: [{ phoneNumber: '+447700900000', state }] },
      ]).expect(204);
    expect(await message(app, id)).toMatchObject({
      status: 'delivered',
      sentAt: new Date(states.Sent).toISOString(),
      deliveredAt: new Date(states.Delivered).toISOString(),
    });
  });

  it('are not touched by reports of another phone, unknown ids or unreadable entries', async () => {
    const [app, thief] = [await pairSilent(), await pairSilent()];
    const stranger = await SmsGateSite.create(service);
    const foreign = await stranger.pair();
    foreign.stop();
    const id = await listOne(app);
    for (const token of [thief.registration, foreign.registration])
      await site
        .call('patch', '/message', token)
        .send([{ id, state: 'Delivered' }])
        .expect(204);
    const odd = [
      null,
      1,
      'x',
      [],
      {},
      { id: 5, state: 'Sent' },
      { id: 'x', state: 'Sent' },
      { id, state: {} },
    ];
    await report(thief, [...odd, { id: new Types.ObjectId().toHexString(), state: 'Sent' }]).expect(204);
    await report(app, [
      { id: new Types.ObjectId().toHexString(), state: 'Failed', recipients: 'none' },
    ]).expect(204);
    expect(await message(app, id)).toMatchObject({ status: 'dispatched' });
    expect(await list(thief)).toEqual([]);
    expect(await list(app)).toEqual([id]);
  });

  it('are reported many at once, within a bound', async () => {
    const app = await pairSilent();
    const id = await listOne(app);
    const unknown = Array.from({ length: 10_000 }, () => ({
      id: new Types.ObjectId().toHexString(),
      state: 'Delivered',
    }));
    const answer = await report(app, [{ id, state: 'Delivered' }, ...unknown]);
    if (answer.status === 204) expect(await message(app, id)).toMatchObject({ status: 'delivered' });
    else {
      expect([answer.status, answer.body]).toEqual([
        400,
        expect.objectContaining({ message: expect.any(String) as string }),
      ]);
      expect(await message(app, id)).toMatchObject({ status: 'dispatched' });
    }
    await report(app, [{ id, state: 'Delivered' }, ...unknown.slice(0, 99)]).expect(204);
    expect(await message(app, id)).toMatchObject({ status: 'delivered' });
  });

  it('are not listed to a disabled phone', async () => {
    const app = await pairSilent();
    const id = await listOne(app);
    await site.client.patch(`/gateway/devices/${app.deviceId}`, { enabled: false }).expect(200);
    expect(await list(app)).toEqual([]);
    await site.client.patch(`/gateway/devices/${app.deviceId}`, { enabled: true }).expect(200);
    expect(await list(app)).toEqual([id]);
  });

  it('of which the phone was not told reach it within a minute', async () => {
    const app = await pair();
    const hub = service.get(WakeHub);
    await eventually(
      () => hub.countOfDevice(new Types.ObjectId(app.deviceId)),
      (count) => count > 0,
    );
    const signal = jest.spyOn(hub, 'signal').mockReturnValue(true);
    const publish = jest
      .spyOn(service.get(WakeTransport), 'push')
      .mockResolvedValue([{ outcome: 'accepted' }]);
    const batch = await send(app);
    await eventually(
      () => messages(app, batch),
      ([first]) => first?.waitingFor !== undefined,
    );
    signal.mockRestore();
    publish.mockRestore();
    await service.get(SmsGateStreams).visitDue(performance.now() + 60_000);
    await until(app, batch, 'delivered');
  });

  it('wait for a phone without a stream, without an attempt, and leave when it fetches', async () => {
    const app = await pairSilent();
    const batch = await send(app);
    await eventually(
      () => messages(app, batch),
      (all) => all.length === 1 && all[0]?.status === 'pending',
    );
    const again = await site.restart(app);
    await until(again, batch, 'delivered');
  });
});
