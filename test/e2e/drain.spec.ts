import { Types } from 'mongoose';
import { WaitingReview } from '../../src/gateway/routing/waiting-review.service';
import type { TestClient } from '../support/client';
import { ScriptedTransport } from '../support/scripted-transport';
import { dispatchWave } from '../support/dispatch-wave';
import { TestService } from '../support/service';

const NUMBERS = ['+4915112345678', '+4915112345679'];
const SIMS = { simInfo: { sims: [{ subscriptionId: 1, simSlotIndex: 0 }] } };
const MINUTE = 60_000;

interface DrainJson {
  readonly drainingSince: string;
  readonly remainingCount: number;
  readonly unreportedCount: number;
  readonly handedOverCount: number;
}

describe('draining a device', () => {
  let service: TestService;
  let transport: ScriptedTransport;
  let client: TestClient;
  let device: string;

  // No worker and no timer runs: each test calls the steps it needs.
  beforeAll(async () => {
    transport = new ScriptedTransport();
    service = await TestService.start({ environment: { APP_ROLES: 'api,scheduler' }, transport });
    service.stopTimers();
    service.clock.stop();
  });
  beforeEach(async () => {
    transport.resultOf = () => ({ outcome: 'accepted' });
    transport.pushed.length = 0;
    client = await service.newAccount();
    device = await client.newDevice(SIMS);
  });
  afterAll(() => service.stop());

  const drain = async (id = device): Promise<DrainJson> => {
    const answer = await client.post(`/gateway/devices/${id}/drain`);
    expect(answer.status).toBe(200);
    return (answer.body as { data: DrainJson }).data;
  };
  const end = (id = device) => client.delete(`/gateway/devices/${id}/drain`);
  const shown = async (id = device) =>
    ((await client.get(`/gateway/devices/${id}`)).body as { data: { drainingSince?: string } }).data;
  const dispatch = (batch: string) => dispatchWave(service, batch);
  const statuses = async (batch: string) =>
    (await client.batch(device, batch)).messages.map(({ status }) => status);
  const send = (fields: object = {}) =>
    client.post('/gateway/send-sms', { message: 'Hello', recipients: NUMBERS, ...fields });
  const messages = () => service.collection('messages');

  it('refuses sends that name it, and says how to end it; accepted messages still go out', async () => {
    const batch = await client.send(NUMBERS, { deviceId: device });
    expect(await drain()).toEqual({
      drainingSince: service.clock.now().toISOString(),
      remainingCount: 2,
      unreportedCount: 0,
      handedOverCount: 0,
    });
    for (const path of ['/gateway/send-sms', `/gateway/devices/${device}/send-sms`, '/gateway/estimates']) {
      const refused = await client.post(path, { message: 'Hello', recipients: NUMBERS, deviceId: device });
      const { code, message } = refused.body as { code: string; message: string };
      expect([path, refused.status, code]).toEqual([path, 400, 'DEVICE_DRAINING']);
      expect(message).toContain('DELETE gateway/devices/{id}/drain');
    }
    expect(await messages().countDocuments({ user: client.user })).toBe(2);
    await dispatch(batch);
    expect(await statuses(batch)).toEqual(['dispatched', 'dispatched']);
    expect(await drain()).toMatchObject({ remainingCount: 0, unreportedCount: 2 });
    for (const id of transport.pushed) await client.report(device, id, 'SENT');
    expect(await drain()).toMatchObject({ remainingCount: 0, unreportedCount: 0 });
  });

  it('is skipped by sends that name none, also if it is the default; these fail if all are draining', async () => {
    const other = await client.newDevice();
    await client.post(`/gateway/devices/${device}/set-default`);
    await drain();
    const sent = (await send()).body as { data: { smsBatchId: string } };
    expect((await client.batch(other, sent.data.smsBatchId)).messages).toHaveLength(2);
    await drain(other);
    expect((await send()).body).toMatchObject({ code: 'DEVICE_DRAINING' });
    await end();
    expect((await send()).status).toBe(200);
  });

  it('is not ended by the app', async () => {
    const serial = 'a phone that registers again';
    const phone = await client.newDevice({ serial });
    const { drainingSince } = await drain(phone);
    expect(await client.newDevice({ serial, enabled: true, drainingSince: null })).toBe(phone);
    await client.patch(`/gateway/devices/${phone}`, { name: 'Office', enabled: true });
    await client.post(`/gateway/devices/${phone}/heartbeat`, { batteryPercentage: 50 });
    expect(await shown(phone)).toMatchObject({ drainingSince });
  });

  it('is started and ended once, however many ask at once', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => drain()));
    service.clock.advance(MINUTE);
    const [{ drainingSince } = { drainingSince: '' }, ...others] = answers;
    for (const each of [...others, await drain()]) expect(each.drainingSince).toBe(drainingSince);
    expect(await shown()).toMatchObject({ drainingSince });
    const ended = await Promise.all(Array.from({ length: 6 }, () => end()));
    expect(ended.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 200));
    expect(await shown()).not.toHaveProperty('drainingSince');
    expect((await send({ deviceId: device })).status).toBe(200);
    expect((await drain()).drainingSince).toBe(service.clock.now().toISOString());
  });

  it('hands over messages of pools that are not claimed, and has those that wait for its SIM decided on again', async () => {
    const sims = (await client.get('/gateway/sims')).body as { data: { _id: string }[] };
    await client.patch(`/gateway/sims/${sims.data[0]?._id}`, { limits: { messagesPerDay: 1 } });
    const batch = await client.send([...NUMBERS, '+4915112345670'], { deviceId: device });
    const scheduledAt = new Date(service.clock.now().getTime() + 10 * MINUTE).toISOString();
    const scheduled = await client.send(NUMBERS, { deviceId: device, scheduledAt });
    await dispatch(batch);
    expect((await statuses(batch)).sort()).toEqual(['dispatched', 'pending', 'pending']);
    const batches = [batch, scheduled].map((id) => new Types.ObjectId(id));
    await messages().updateMany({ smsBatch: { $in: batches } }, { $set: { pool: new Types.ObjectId() } });
    const before = await messages().find({ smsBatch: batches[1] }).toArray();

    expect(await drain()).toMatchObject({ remainingCount: 0, unreportedCount: 1, handedOverCount: 4 });
    await service.get(WaitingReview).reviewChanged();
    const now = service.clock.now();
    const waiting = { smsBatch: batches[0], status: 'pending' };
    expect(await messages().countDocuments({ ...waiting, nextDispatchAt: { $lte: now } })).toBe(2);
    // What is scheduled leaves when it is due.
    expect(await messages().find({ smsBatch: batches[1] }).toArray()).toEqual(before);
  });

  it('counts a message that is being handed to it as its own, and one that is moving as handed over', async () => {
    const batch = new Types.ObjectId(await client.send(NUMBERS, { deviceId: device }));
    const pool = new Types.ObjectId();
    const now = service.clock.now();
    const [first, second] = await messages().find({ smsBatch: batch }).toArray();
    await messages().updateOne({ _id: first?._id }, { $set: { pool, pushStartedAt: now } });
    await messages().updateOne(
      { _id: second?._id },
      { $set: { pool, status: 'dispatched', moveDueAt: now } },
    );
    expect(await drain()).toMatchObject({ remainingCount: 1, unreportedCount: 0, handedOverCount: 1 });
  });

  it('responds to the device of another account, a deleted one and a malformed id like other routes', async () => {
    const foreign = await (await service.newAccount()).newDevice();
    const deleted = await client.newDevice();
    await client.delete(`/gateway/devices/${deleted}`);
    for (const id of [foreign, deleted]) {
      expect((await client.post(`/gateway/devices/${id}/drain`)).body).toMatchObject({
        code: 'DEVICE_NOT_FOUND',
      });
      expect((await end(id)).body).toMatchObject({ code: 'DEVICE_NOT_FOUND' });
    }
    expect(
      await service.collection('devices').countDocuments({
        drainingSince: { $exists: true },
        user: { $ne: client.user },
        _id: new Types.ObjectId(foreign),
      }),
    ).toBe(0);
    expect((await end('nonsense')).body).toMatchObject({ code: 'VALIDATION_FAILED' });
  });
});
