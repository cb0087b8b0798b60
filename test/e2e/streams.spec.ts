import { Types } from 'mongoose';
import { PhoneStreamService } from '../../src/phones/streams/phone-stream.service';
import { VirtualPhone } from 'messaging-gateway-phone';
import { afterLooks } from '../support/after-looks';
import { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { RawStream } from '../support/raw-stream';
import { TestService } from '../support/service';

describe('streams', () => {
  let first: TestService;
  let second: TestService;
  let client: TestClient;
  let device: string;
  const open: RawStream[] = [];

  // Two processes of one installation: messages accepted by one reach phones connected to the other.
  beforeAll(async () => {
    first = await TestService.start();
    // The looks of each minute would come at any time.
    first.stopTimers();
    second = await TestService.start({ shared: first, environment: { APP_ROLES: 'api' } });
  });
  beforeEach(async () => {
    client = await first.newAccount();
    device = await client.newDevice();
  });
  afterEach(() => {
    for (const stream of open.splice(0)) stream.close();
  });
  afterAll(async () => {
    await second.stop();
    await first.stop();
  });

  async function stream(of: TestClient = client, id = device): Promise<RawStream> {
    const opened = await RawStream.open(of, id);
    open.push(opened);
    return opened;
  }

  it('reach a phone that is connected to another process', async () => {
    const phone = new VirtualPhone({
      baseUrl: second.url,
      apiKey: client.apiKey,
      sendDelaySeconds: 0,
      deliveryDelaySeconds: 0,
    });
    await phone.start();
    const batch = await client.send(['+4915112345678'], { deviceId: phone.deviceId });
    await phone.until('delivered', 1);
    expect((await client.batch(phone.deviceId, batch)).batch.status).toBe('completed');
    await phone.stop();
  });

  it('carry the same object as a push, as Server-Sent Events', async () => {
    const raw = await stream();
    expect(raw.answer.headers['content-type']).toContain('text/event-stream');
    const batch = await client.send(['+4915112345678'], {
      message: 'Line one\nline two "quoted"',
      simSubscriptionId: 2,
    });
    await eventually(
      () => raw.receivedIds,
      (ids) => ids.length === 1,
    );
    const [event] = raw.text.split('\n\n').filter((each) => each.includes('event: sms'));
    const [id, name, data] = event?.trim().split('\n') ?? [];
    const smsId = raw.receivedIds[0];
    expect([id, name]).toEqual([`id: ${smsId ?? ''}`, 'event: sms']);
    expect(JSON.parse(data?.replace('data: ', '') ?? '')).toEqual({
      smsId,
      smsBatchId: batch,
      message: 'Line one\nline two "quoted"',
      recipients: ['+4915112345678'],
      simSubscriptionId: 2,
    });
  });

  it('redeliver unacknowledged and unreported messages, oldest first, until they are acknowledged or reported', async () => {
    const early = await client.send(['111']);
    await eventually(
      () => client.batch(device, early),
      ({ batch }) => batch.status === 'processing',
    );
    const late = await client.send(['222', '333']);
    await eventually(
      () => client.batch(device, late),
      ({ batch }) => batch.status === 'processing',
    );
    const ids = [
      ...(await client.batch(device, early)).messages,
      ...(await client.batch(device, late)).messages,
    ].map(({ _id }) => _id);
    const raw = await stream();
    await eventually(
      () => raw.receivedIds,
      (ids) => ids.length === 3,
    );
    expect(raw.receivedIds[0]).toBe(ids[0]);
    expect(new Set(raw.receivedIds)).toEqual(new Set(ids));

    const ack = await client.post(`/gateway/devices/${device}/messages/ack`, { smsIds: [ids[0], ids[0]] });
    expect([ack.status, ack.body]).toEqual([200, { data: { acknowledged: 1 } }]);
    expect(await client.message(device, ids[0] ?? '')).toMatchObject({
      status: 'dispatched',
      pushReceivedAt: expect.any(String) as string,
    });
    await client.report(device, ids[1] ?? '', 'SENT');
    await afterLooks(
      [first, second],
      () => raw.receivedIds,
      (ids) => ids.length >= 4,
    );
    expect(raw.receivedIds[3]).toBe(ids[2]);
    const heartbeat = await client.post(`/gateway/devices/${device}/heartbeat`);
    expect(heartbeat.body).toMatchObject({ pendingCount: 1 });
  });

  it('redeliver messages for 72 hours, also unconfirmed ones', async () => {
    const batch = await client.send(['111']);
    await eventually(
      () => client.batch(device, batch),
      (answer) => answer.batch.status === 'processing',
    );
    await first.collection('messages').updateOne({ user: client.user }, { $set: { status: 'unknown' } });
    const raw = await stream();
    await eventually(
      () => raw.receivedIds,
      (ids) => ids.length === 1,
    );
    await first
      .collection('messages')
      .updateOne({ user: client.user }, { $set: { redeliverUntil: new Date() } });
    await first.get(PhoneStreamService).redeliver();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(raw.receivedIds.length).toBe(1);
  });

  it('close within 15 s after the key is revoked or the device deleted, also without a Redis message', async () => {
    const other = await client.newDevice({ model: 'Other' });
    const revoked = await first.newAccount();
    const [ofDeleted, ofRevoked, ofNeither] = [
      await stream(client, other),
      await stream(revoked, await revoked.newDevice()),
      await stream(),
    ];
    await first
      .collection('devices')
      .updateOne({ _id: new Types.ObjectId(other) }, { $set: { deletedAt: new Date(), enabled: false } });
    await first.collection('apikeys').updateOne({ user: revoked.user }, { $set: { revokedAt: new Date() } });
    await first.get(PhoneStreamService).keepAlive(); // runs every 15 s
    await eventually(
      () => [ofDeleted.isOpen, ofRevoked.isOpen],
      ([a, b]) => !a && !b,
    );
    expect(ofNeither.isOpen).toBe(true);
    expect(ofNeither.text).toContain(': still here\n\n');
  });

  it('are replaced when the phone reconnects', async () => {
    const old = await stream();
    const fresh = await stream();
    await eventually(
      () => old.isOpen,
      (isOpen) => !isOpen,
    );
    await client.send(['111']);
    await eventually(
      () => fresh.receivedIds,
      (ids) => ids.length === 1,
    );
  });

  it('are refused to a device on FCM and to a device of another account', async () => {
    const fcm = await client.newDevice({ pushTransport: 'fcm' });
    const refused = await client.get(`/gateway/devices/${fcm}/stream`);
    expect([refused.status, (refused.body as { code: string }).code]).toEqual([400, 'NOT_A_STREAM_DEVICE']);
    const stranger = await first.newAccount();
    expect((await stranger.get(`/gateway/devices/${device}/stream`)).status).toBe(404);
  });

  it('close when the process shuts down, so that the phone reconnects to another one', async () => {
    const third = await TestService.start({ shared: first, environment: { APP_ROLES: 'api' } });
    const phone = new VirtualPhone({ baseUrl: third.url, apiKey: client.apiKey, sendDelaySeconds: 0 });
    await phone.start();
    await client.send(['111'], { deviceId: phone.deviceId });
    await phone.until('sent', 1);
    const started = Date.now();
    await third.stop();
    expect(Date.now() - started).toBeLessThan(15_000);
    await phone.stop();
  });
});
