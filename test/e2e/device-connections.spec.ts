import { Types } from 'mongoose';
import { VirtualPhone } from 'messaging-gateway-phone';
import { ConnectionRecorder } from '../../src/devices/connection/connection-recorder.service';
import { ConnectionsRepository } from '../../src/devices/connection/connections.repository';
import { PhonesScheduler } from '../../src/phones/phones.scheduler';
import { StreamHandOver } from '../../src/phones/streams/stream-hand-over.service';
import { PhoneStreamService } from '../../src/phones/streams/phone-stream.service';
import { DispatchScheduler } from '../../src/gateway/dispatch/dispatch.scheduler';
import { Activity } from '../../src/infrastructure/sweeps/activity.service';
import { TestClient } from '../support/client';
import { crashAtCall } from '../support/crash-at-call';
import { eventually } from '../support/eventually';
import { accepted, FakeFcm, fcmError } from '../support/fake-fcm';
import { RawStream } from '../support/raw-stream';
import { TestService } from '../support/service';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

interface ConnectionJson {
  state: string;
  since: string;
}

describe('the connection of a device', () => {
  let fcm: FakeFcm;
  let first: TestService;
  let second: TestService;
  let client: TestClient;
  let device: string;
  const phones: VirtualPhone[] = [];
  const streams: RawStream[] = [];

  beforeAll(async () => {
    fcm = await FakeFcm.start();
    first = await TestService.start({ firebase: fcm.options() });
    second = await TestService.start({ shared: first, firebase: fcm.options() });
    for (const service of [first, second]) service.stopTimers();
    first.clock.stop();
  });
  beforeEach(async () => {
    fcm.respond = accepted;
    // Excludes the devices of other tests.
    await first.collection('devices').updateMany({}, { $set: { enabled: false } });
    client = await first.newAccount();
    device = '';
  });
  afterEach(async () => {
    for (const phone of phones.splice(0)) await phone.stop();
    for (const stream of streams.splice(0)) stream.close();
    jest.restoreAllMocks();
  });
  afterAll(async () => {
    await second.stop();
    await first.stop();
    await fcm.stop();
  });

  const stored = async () => {
    for (const service of [first, second]) await service.get(ConnectionRecorder).flush();
  };
  const sweep = () =>
    Promise.all([first, second].map((service) => service.get(PhonesScheduler).checkConnections()));
  /** Lets time pass, as the timers of both processes would. */
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= 15 * SECOND) {
      await stored();
      first.clock.advance(Math.min(left, 15 * SECOND));
      await stored();
      await sweep();
    }
  };
  const read = async (from = client): Promise<{ lastContactAt?: string; connection: ConnectionJson }> => {
    const answer = await from.get(`/gateway/devices/${device}`);
    return (answer.body as { data: { connection: ConnectionJson } }).data;
  };
  const connection = async () => (await read()).connection;
  const state = async () => (await connection()).state;
  const now = () => first.clock.now().toISOString();
  /** Sends a message a second after the last call. @returns its id, and when it is handed over. */
  const send = async (recipient = '+4915112345678') => {
    first.clock.advance(SECOND);
    const batch = await client.send([recipient], { deviceId: device });
    const startedAt = performance.now();
    let isLate = false;
    const dispatched = await eventually(
      async () => {
        // A busy machine may enqueue no job in time. The sweep takes what has been due for five seconds.
        if (!isLate && performance.now() - startedAt > 10 * SECOND) {
          isLate = true;
          first.clock.advance(10 * SECOND);
        }
        await first.get(DispatchScheduler).dispatchOverdue();
        return client.batch(device, batch);
      },
      ({ messages }) => messages[0]?.status !== 'pending',
    );
    return { id: dispatched.messages[0]?._id ?? '', handedOverAt: now() };
  };
  const fcmDevice = () =>
    client.newDevice({ pushTransport: undefined, fcmToken: new Types.ObjectId().toHexString() });
  const storedStream = async () => {
    const found = await first.collection('devices').findOne({ _id: new Types.ObjectId(device) });
    return found?.stream as { id: Types.ObjectId; closedAt?: Date } | undefined;
  };
  const openStream = async (on = client) => {
    const before = await storedStream();
    const stream = await RawStream.open(on, device);
    streams.push(stream);
    await eventually(storedStream, (opened) => opened !== undefined && !opened.id.equals(before?.id ?? ''));
    return stream;
  };
  const startPhone = async () => {
    const phone = new VirtualPhone({ baseUrl: first.url, apiKey: client.apiKey, deliveryDelaySeconds: 0 });
    phones.push(phone);
    await phone.start();
    await phone.until('heartbeats', 1);
    device = phone.deviceId;
    await eventually(storedStream, (opened) => opened !== undefined);
    return phone;
  };

  describe('of a phone that freezes', () => {
    it('is unresponsive within a minute of the first message, and online once the phone answers', async () => {
      const phone = await startPhone();
      phone.pauseAcks();
      phone.pauseReports();
      const { handedOverAt } = await send();
      await phone.until('offered', 1);
      await pass(20 * SECOND);
      expect(await state()).toBe('online');
      await pass(40 * SECOND);
      const frozen = { state: 'unresponsive', since: handedOverAt };
      expect(await connection()).toEqual(frozen);

      // Repeated messages, checks and processes give the same answer.
      await send('+4915112345679');
      await pass(5 * MINUTE);
      expect((await read(client.at(second.url))).connection).toEqual(frozen);

      phone.resumeAcks();
      phone.resumeReports();
      await phone.until('acknowledged', 2);
      await stored();
      const back = { state: 'online', since: now() };
      expect(await connection()).toEqual(back);
      await pass(5 * MINUTE);
      expect(await connection()).toEqual(back);
    });

    it('is unresponsive again with the first message after its last answer', async () => {
      const phone = await startPhone();
      await send();
      await phone.until('acknowledged', 1);
      // Reports on their way would count as answers.
      await phone.untilIdle();
      await pass(MINUTE);
      phone.pauseAcks();
      phone.pauseReports();
      const { handedOverAt } = await send();
      await pass(MINUTE);
      // It acknowledges, so heartbeats do not count as answers.
      await phone.heartbeat();
      await stored();
      expect(await connection()).toEqual({ state: 'unresponsive', since: handedOverAt });
    });

    it('is noticed although the process dies that checks it', async () => {
      device = await client.newDevice();
      await sweep();
      const stream = await openStream();
      await send();
      // Its hand-over is recorded before it is sent.
      await eventually(
        () => stream.receivedIds,
        ({ length }) => length > 0,
      );
      await stored();
      first.clock.advance(40 * SECOND);
      crashAtCall(ConnectionsRepository, 'endCheck')(first, 'before');
      await first.get(PhonesScheduler).checkConnections();
      await second.get(PhonesScheduler).checkConnections();
      expect(await state()).toBe('online');
      first.clock.advance(61 * SECOND);
      await second.get(PhonesScheduler).checkConnections();
      expect(await state()).toBe('unresponsive');
    });

    it('is noticed when messages are handed over while it is checked', async () => {
      device = await client.newDevice();
      await sweep();
      await openStream();
      await first
        .collection('devices')
        .updateOne({ _id: new Types.ObjectId(device) }, { $set: { connectionCheckAt: first.clock.now() } });
      const repository = first.get(ConnectionsRepository);
      const endCheck = repository.endCheck.bind(repository);
      jest.spyOn(repository, 'endCheck').mockImplementationOnce(async (...result) => {
        await send();
        await stored();
        return endCheck(...result);
      });
      await first.get(PhonesScheduler).checkConnections();
      await pass(MINUTE);
      expect(await state()).toBe('unresponsive');
    });
  });

  describe('behind FCM', () => {
    beforeEach(async () => {
      device = await fcmDevice();
    });

    it('is unresponsive when an accepted push is not answered', async () => {
      const { handedOverAt } = await send();
      await pass(MINUTE);
      expect(await connection()).toEqual({ state: 'unresponsive', since: handedOverAt });
      await client.post(`/gateway/devices/${device}/heartbeat`);
      expect(await connection()).toEqual({ state: 'online', since: now() });
    });

    it('is online while an app that never acknowledges reports', async () => {
      for (const seconds of [40, 3, 25]) {
        const { id } = await send();
        await pass(seconds * SECOND);
        await client.report(device, id, 'SENT');
        await stored();
        expect(await state()).toBe('online');
        await pass(MINUTE);
        expect(await state()).toBe('online');
      }
    });

    it('waits for the delay of an app that never acknowledges', async () => {
      await client.post(`/gateway/devices/${device}/heartbeat`, { smsSendDelaySeconds: 300 });
      await send();
      await pass(5 * MINUTE);
      expect(await state()).toBe('online');
      await pass(MINUTE);
      expect(await state()).toBe('unresponsive');
    });

    it('is offline without a push token, since it was refused, until there is a new one', async () => {
      fcm.respond = () => fcmError(404, 'NOT_FOUND', 'gone', 'UNREGISTERED');
      await send();
      const lostAt = now();
      await pass(MINUTE);
      await client.post(`/gateway/devices/${device}/heartbeat`);
      await pass(MINUTE);
      expect(await connection()).toEqual({ state: 'offline', since: lostAt });
      await client.post(`/gateway/devices/${device}/heartbeat`, { fcmToken: 'new token' });
      expect(await connection()).toEqual({ state: 'online', since: now() });
      await pass(MINUTE);
      expect(await state()).toBe('online');
    });

    it('is offline after two missed heartbeats, and for disabled devices too', async () => {
      await client.post(`/gateway/devices/${device}/heartbeat`);
      await stored();
      await client.patch(`/gateway/devices/${device}`, { enabled: false });
      first.clock.advance(60 * MINUTE - 1);
      expect(await state()).toBe('online');
      first.clock.advance(1);
      const since = now();
      first.clock.advance(60 * MINUTE);
      expect(await connection()).toEqual({ state: 'offline', since });
      await client.post(`/gateway/devices/${device}/heartbeat`);
      expect(await connection()).toEqual({ state: 'online', since: now() });
    });
  });

  describe('on a stream', () => {
    beforeEach(async () => {
      device = await client.registerDevice();
    });

    it('is offline before it has opened one, since it was registered', async () => {
      const since = now();
      expect(await connection()).toEqual({ state: 'offline', since });
      first.clock.advance(MINUTE);
      expect(await connection()).toEqual({ state: 'offline', since });
      await openStream();
      expect(await connection()).toEqual({ state: 'online', since: now() });
    });

    it('is offline 30 s after messages that no process has taken, until one holds the stream', async () => {
      const confirm = jest.spyOn(first.get(StreamHandOver), 'confirm');
      await openStream();
      // Its process looks for what waits, after the stream was stored.
      await eventually(() => confirm.mock.results.length, Boolean);
      await Promise.all(confirm.mock.results.map(({ value }) => value as Promise<void>));
      const connections = first.get(ConnectionsRepository);
      // Less than a minute, after which its process looks for what waits, and so confirms the stream.
      first.clock.advance(50 * SECOND);
      const claimedAt = first.clock.now();
      await connections.recordUntaken([{ device: new Types.ObjectId(device), claimedAt }], claimedAt);
      first.clock.advance(29 * SECOND);
      expect(await state()).toBe('online');
      first.clock.advance(SECOND);
      expect(await connection()).toEqual({ state: 'offline', since: claimedAt.toISOString() });
      await first.get(PhoneStreamService).redeliver();
      expect(await state()).toBe('online');
    });

    it('is offline 30 s after the stream was closed, since then', async () => {
      const stream = await openStream();
      first.clock.advance(MINUTE);
      const closedAt = now();
      stream.close();
      await eventually(storedStream, (closed) => closed?.closedAt !== undefined);
      first.clock.advance(29 * SECOND);
      expect(await state()).toBe('online');
      first.clock.advance(SECOND);
      expect(await connection()).toEqual({ state: 'offline', since: closedAt });
      await openStream(client.at(second.url));
      expect(await connection()).toEqual({ state: 'online', since: now() });
    });

    it('ends the rest of the sweeps, so that its event is relayed at once', async () => {
      const stream = await openStream();
      stream.close();
      await eventually(storedStream, (closed) => closed?.closedAt !== undefined);
      await stored();
      first.clock.skip(10 * MINUTE);
      const isActive = () => [first, second].some((service) => service.get(Activity).isActive);
      expect(isActive()).toBe(false);
      await sweep();
      expect(isActive()).toBe(true);
    });

    it('is online while its latest stream is open, on any process', async () => {
      const old = await openStream();
      await openStream(client.at(second.url));
      const closes = jest.spyOn(first.get(ConnectionsRepository), 'closeStream');
      old.close();
      await eventually(
        () => closes.mock.calls.length,
        (calls) => calls === 1,
      );
      await Promise.all(closes.mock.results.map(({ value }) => value as unknown));
      first.clock.advance(MINUTE);
      expect(await state()).toBe('online');
    });

    it('is refused when it cannot be recorded, so that the phone opens another one', async () => {
      crashAtCall(ConnectionsRepository, 'openStream')(first, 'before');
      const stream = await RawStream.open(client, device);
      expect(stream.answer.statusCode).toBe(500);
      await eventually(
        () => stream.isOpen,
        (isOpen) => !isOpen,
      );
    });
  });

  describe('counts as contact', () => {
    let other: TestClient;

    beforeAll(async () => {
      other = await first.newAccount();
    });
    beforeEach(async () => {
      device = await client.newDevice();
    });

    const calls = {
      'a heartbeat': (of: TestClient) => of.post(`/gateway/devices/${device}/heartbeat`),
      'an upload': (of: TestClient) =>
        of.post(`/gateway/devices/${device}/receive-sms`, { sender: '+4930', message: 'Hi' }),
      'an ignored upload': (of: TestClient) => of.post(`/gateway/devices/${device}/receive-sms`),
      'an acknowledgement': (of: TestClient) =>
        of.post(`/gateway/devices/${device}/messages/ack`, { smsIds: [device] }),
      'a confirmed cancellation': (of: TestClient) =>
        of.post(`/gateway/devices/${device}/messages/cancelled`, { smsIds: [device] }),
      'a query for pending messages': (of: TestClient) =>
        of.get(`/gateway/devices/${device}/messages/pending`),
    };

    it.each(Object.entries(calls))('%s, if it is accepted', async (_, call) => {
      first.clock.advance(MINUTE);
      expect((await call(other)).status).toBe(404);
      await stored();
      expect((await read()).lastContactAt).not.toBe(now());
      expect((await call(client)).status).toBe(200);
      await stored();
      expect((await read()).lastContactAt).toBe(now());
    });

    it('a report', async () => {
      const { id } = await send();
      first.clock.advance(MINUTE);
      expect((await client.report(device, id, 'SENT')).status).toBe(200);
      await stored();
      expect((await read()).lastContactAt).toBe(now());
    });

    it('an opened stream', async () => {
      first.clock.advance(MINUTE);
      await openStream();
      expect((await read()).lastContactAt).toBe(now());
    });

    it('a request with an id that does not exist does not', async () => {
      const missing = new Types.ObjectId().toHexString();
      await client.report(device, missing, 'SENT');
      await client.post(`/gateway/devices/${missing}/heartbeat`);
      const record = jest.spyOn(first.get(ConnectionsRepository), 'record');
      await stored();
      expect(record).not.toHaveBeenCalled();
    });
  });

  it('is written once in 15 s, in one batch with other devices, and after a failure', async () => {
    const recorder = first.get(ConnectionRecorder);
    const repository = first.get(ConnectionsRepository);
    const ids = [await client.newDevice(), await client.newDevice()].map((id) => new Types.ObjectId(id));
    const call = () => {
      for (let n = 0; n < 500; n++) for (const id of ids) recorder.recordCall(id, 'acknowledgement');
    };
    const record = jest.spyOn(repository, 'record');
    jest.spyOn(repository, 'find').mockRejectedValueOnce(new Error('unavailable'));
    const written = () => record.mock.calls.map(([changes]) => changes.length);
    call();
    await recorder.flush();
    expect(written()).toEqual([]);
    await recorder.flush();
    expect(written()).toEqual([2]);
    first.clock.advance(14 * SECOND);
    call();
    await recorder.flush();
    expect(written()).toEqual([2]);
    first.clock.advance(SECOND);
    const calledAt = new Date(first.clock.now().getTime() - SECOND);
    await recorder.flush();
    expect(written()).toEqual([2, 2]);
    first.clock.advance(MINUTE);
    await recorder.flush();
    expect(written()).toEqual([2, 2]);
    const found = await first
      .collection('devices')
      .find({ _id: { $in: ids } })
      .toArray();
    expect(found.map(({ lastContactAt }) => lastContactAt as Date)).toEqual([calledAt, calledAt]);
  });
});
