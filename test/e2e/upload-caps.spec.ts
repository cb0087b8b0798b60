import { Types } from 'mongoose';
import { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { TestService } from '../support/service';
import { WebhookReceiver } from '../support/webhook-receiver';

const HUGE = 'x'.repeat(60_000);

/** Uploads of phones are truncated instead of refused. */
describe('upload caps', () => {
  let service: TestService;
  let client: TestClient;
  let device: string;

  beforeAll(async () => {
    service = await TestService.start({ environment: { WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' } });
  });
  beforeEach(async () => {
    client = await service.newAccount();
    device = await client.newDevice();
  });
  afterAll(() => service.stop());

  const upload = (fields: object) =>
    client.post(`/gateway/devices/${device}/receive-sms`, { sender: '+4930', message: 'Hi', ...fields });
  const idOf = (answer: { body: unknown }) => (answer.body as { data: { _id: string } }).data._id;
  const storedMessage = (id: string) =>
    service.collection('messages').findOne({ _id: new Types.ObjectId(id) });
  const storedDevice = () => service.collection('devices').findOne({ _id: new Types.ObjectId(device) });

  it('truncates a long sender and text and marks the message', async () => {
    const id = idOf(await upload({ sender: HUGE, message: `${HUGE}😀` }).expect(200));
    const message = await client.message(device, id);
    expect([String(message.sender).length, String(message.message).length]).toEqual([256, 10_000]);
    expect(message.truncated).toBe(true);
  });

  it('counts characters: stores 10,000 emoji and drops further ones', async () => {
    const complete = await client.message(device, idOf(await upload({ message: '😀'.repeat(10_000) })));
    expect(complete).not.toHaveProperty('truncated');
    const truncated = await client.message(device, idOf(await upload({ message: '😀'.repeat(10_001) })));
    expect(truncated.truncated).toBe(true);
    expect(truncated.message).toBe(complete.message);
  });

  it('deduplicates truncated uploads with equal originals only', async () => {
    const receivedAt = service.clock.now().toISOString();
    const ids = [`${HUGE}1`, `${HUGE}2`, `${HUGE}1`].map((message) => upload({ message, receivedAt }));
    const [first, second, again] = (await Promise.all(ids)).map(idOf);
    expect(again).toBe(first);
    expect(second).not.toBe(first);
  });

  it('stores a long fingerprint as a hash', async () => {
    const first = idOf(await upload({ fingerprint: `${HUGE}1` }));
    expect(idOf(await upload({ fingerprint: `${HUGE}1` }))).toBe(first);
    expect(idOf(await upload({ fingerprint: `${HUGE}2` }))).not.toBe(first);
    expect((await storedMessage(first))?.fingerprint).toMatch(/^[\da-f]{64}$/);
  });

  it('marks only the events of truncated messages', async () => {
    const receiver = await WebhookReceiver.start();
    await client
      .post('/webhooks', {
        deliveryUrl: receiver.url,
        signingSecret: 'a secret of 20 characters',
        events: ['MESSAGE_RECEIVED'],
      })
      .expect(201);
    await upload({ message: HUGE });
    await upload({ message: 'short' });
    const received = await eventually(
      () => receiver.received,
      (all) => all.length === 2,
    );
    const marks = received.map(({ event }) => [String(event.message).length, event.truncated]);
    expect(marks.sort()).toEqual([
      [10_000, true],
      [5, undefined],
    ]);
    await receiver.stop();
  });

  it('truncates the texts and SIMs of a heartbeat', async () => {
    const sim = (subscriptionId: number) => ({ subscriptionId, displayName: HUGE, iccId: HUGE });
    const texts = { networkType: HUGE, timezone: HUGE, locale: HUGE, appVersionName: HUGE, osVersion: HUGE };
    await client
      .post(`/gateway/devices/${device}/heartbeat`, {
        ...texts,
        fcmToken: HUGE,
        simInfo: { lastUpdated: HUGE, sims: [0, 1, 2].map(sim) },
      })
      .expect(200);
    const stored = await storedDevice();
    expect(JSON.stringify(stored).length).toBeLessThan(8_000);
    expect(stored).not.toHaveProperty('fcmToken');
    const sims = Array.from({ length: 50 }, (_, subscriptionId) => ({ subscriptionId }));
    await client.post(`/gateway/devices/${device}/heartbeat`, { simInfo: { sims } }).expect(200);
    expect((await storedDevice())?.simInfo).toMatchObject({ sims: sims.slice(0, 8) });
    expect((await storedDevice())?.simInfo).toHaveProperty('sims.length', 8);
  });

  it('truncates the texts of a registration; long serials with the same start stay distinct', async () => {
    const facts = Object.fromEntries(
      ['brand', 'manufacturer', 'model', 'name', 'buildId', 'os', 'osVersion', 'osBuildFingerprint'].map(
        (field) => [field, HUGE],
      ),
    );
    const first = await client.newDevice({ ...facts, serial: `${HUGE}1` });
    expect(await client.newDevice({ ...facts, serial: `${HUGE}2` })).not.toBe(first);
    expect(await client.newDevice({ ...facts, serial: `${HUGE}1` })).toBe(first);
    const stored = await service.collection('devices').findOne({ _id: new Types.ObjectId(first) });
    expect(JSON.stringify(stored).length).toBeLessThan(8_000);
  });

  it('truncates the texts of a report', async () => {
    const batch = await client.send(['111'], { deviceId: device });
    const smsId = (await client.batch(device, batch)).messages[0]?._id ?? '';
    const report = { errorCode: HUGE, errorMessage: HUGE, smsBatchId: HUGE, sentAtInMillis: HUGE };
    for (const status of [HUGE, 'FAILED']) await client.report(device, smsId, status, report).expect(200);
    expect(JSON.stringify(await storedMessage(smsId)).length).toBeLessThan(6_000);
  });
});
