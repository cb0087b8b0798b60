import { VirtualPhone } from 'messaging-gateway-phone';
import { DispatchScheduler } from '../../src/gateway/dispatch/dispatch.scheduler';
import { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { TestService } from '../support/service';

describe('sending and receiving end to end', () => {
  let service: TestService;
  let client: TestClient;
  let phone: VirtualPhone;

  beforeAll(async () => {
    service = await TestService.start();
  });
  beforeEach(async () => {
    client = await service.newAccount();
    phone = new VirtualPhone({
      baseUrl: service.url,
      apiKey: client.apiKey,
      sendDelaySeconds: 0,
      deliveryDelaySeconds: 0,
    });
    await phone.start();
  });
  afterEach(() => phone.stop());
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => service.stop());

  /** Without the scheduler, messages are dispatched by jobs only. */
  const withoutSweeps = () =>
    jest.spyOn(service.get(DispatchScheduler), 'dispatchOverdue').mockResolvedValue(undefined);

  it('pushes a message, takes its reports, and lists it as delivered', async () => {
    withoutSweeps();
    const batch = await client.send(['+49 (151) 1234-5678'], { message: 'Your code is 123456' });
    const { messages } = await eventually(
      () => client.batch(phone.deviceId, batch),
      (answer) => answer.batch.status === 'completed' && answer.messages[0]?.status === 'delivered',
    );
    const [message] = messages;
    expect(phone.airLog).toMatchObject([{ recipient: '+4915112345678', text: 'Your code is 123456' }]);
    expect(message).toMatchObject({
      status: 'delivered',
      direction: 'sent',
      type: 'SENT',
      recipient: '+4915112345678',
      dispatchAttempts: 1,
      device: { _id: phone.deviceId },
    });
    for (const time of [
      'requestedAt',
      'dispatchedAt',
      'pushReceivedAt',
      'sendAttemptedAt',
      'sentAt',
      'deliveredAt',
    ]) {
      expect([time, typeof message?.[time]]).toEqual([time, 'string']);
    }
    expect(await client.message(phone.deviceId, message?._id ?? '')).toEqual(message);
    expect((await client.get('/gateway/stats')).body).toEqual({
      data: { totalSentSMSCount: 1, totalReceivedSMSCount: 0, totalDeviceCount: 1, totalApiKeyCount: 1 },
    });
  });

  it('dispatches a single message immediately while two campaigns of 1,000 are running', async () => {
    const campaign = Array.from({ length: 1_000 }, (_, index) => `+4915${String(index).padStart(8, '0')}`);
    await client.send(campaign);
    await client.send(campaign);
    withoutSweeps();
    const batch = await client.send(['+4915112345678'], { message: 'Your code is 123456' });
    await eventually(
      () => client.batch(phone.deviceId, batch),
      ({ messages }) => messages[0]?.dispatchedAt !== undefined,
    );
  });

  it('sends each of 25 messages once, although they are redelivered', async () => {
    const recipients = Array.from(
      { length: 25 },
      (_, index) => `+49151000000${String(index).padStart(2, '0')}`,
    );
    phone.pauseAcks();
    const batch = await client.send(recipients);
    for (let reconnect = 0; reconnect < 3; reconnect++) {
      phone.dropStream();
      phone.openStream();
    }
    phone.resumeAcks();
    const { batch: done } = await eventually(
      () => client.batch(phone.deviceId, batch),
      (answer) => answer.messages.every(({ status }) => status === 'delivered'),
    );
    expect(done).toMatchObject({
      status: 'completed',
      successCount: 25,
      failureCount: 0,
      recipientCount: 25,
    });
    expect(phone.airLog.map(({ recipient }) => recipient).sort()).toEqual(recipients);
  });

  it('delivers messages that were sent while the phone was offline', async () => {
    await phone.stop();
    const batch = await client.send(['+4915112345678']);
    await eventually(
      () => client.batch(phone.deviceId, batch),
      ({ messages }) =>
        (messages[0]?.waitingFor as { reason?: string } | undefined)?.reason === 'phone_unreachable',
    );
    await phone.start();
    await phone.until('delivered', 1);
    expect((await client.batch(phone.deviceId, batch)).batch.status).toBe('completed');
  });

  it('stores the reason of a failure', async () => {
    const failing = new VirtualPhone({
      baseUrl: service.url,
      apiKey: client.apiKey,
      sendDelaySeconds: 0,
      failureRate: 1,
    });
    await failing.start();
    const batch = await client.send(['+4915112345678'], { deviceId: failing.deviceId });
    const { batch: record, messages } = await eventually(
      () => client.batch(failing.deviceId, batch),
      (answer) => answer.batch.status === 'failed',
    );
    expect(record).toMatchObject({ failureCount: 1, successCount: 0, error: messages[0]?.errorMessage });
    expect(messages[0]).toMatchObject({
      errorCode: expect.any(String) as string,
      failedAt: expect.any(String) as string,
    });
    await failing.stop();
  });

  it('stores a received message once, even if it is uploaded several times', async () => {
    const upload = { sender: 'BANK', message: 'Your code', receivedAtInMillis: Date.now() - 5_000 };
    const path = `/gateway/devices/${phone.deviceId}/receive-sms`;
    const answers = await Promise.all(Array.from({ length: 12 }, () => client.post(path, upload)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const ids = new Set(answers.map(({ body }) => (body as { data: { _id: string } }).data._id));
    expect(ids.size).toBe(1);
    const [id = ''] = ids;
    expect(await client.message(phone.deviceId, id)).toMatchObject({
      direction: 'received',
      type: 'RECEIVED',
      status: 'received',
      sender: 'BANK',
      message: 'Your code',
      receivedAt: new Date(upload.receivedAtInMillis).toISOString(),
    });
    const [stored] = await service.collection('messages').find({ user: client.user }).toArray();
    expect(stored).toMatchObject({ raised: ['MESSAGE_RECEIVED'] });
    expect((await client.get('/gateway/stats')).body).toMatchObject({ data: { totalReceivedSMSCount: 1 } });
  });

  it('ignores an invalid upload with a reason, so that the phone does not repeat it', async () => {
    const path = `/gateway/devices/${phone.deviceId}/receiveSMS`;
    const ignored = { status: 200, body: { data: { ignored: true, reason: expect.any(String) as string } } };
    expect(await client.post(path, { sender: '+49151', message: '' })).toMatchObject(ignored);
    await client.patch(`/gateway/devices/${phone.deviceId}`, { enabled: false });
    expect(await client.post(path, { sender: '+49151', message: 'x' })).toMatchObject(ignored);
    expect(await service.collection('messages').countDocuments({ user: client.user })).toBe(0);
  });

  it('sends from the default device, otherwise from the one with the latest heartbeat, if none is named', async () => {
    const second = await client.newDevice({ model: 'Second' });
    const third = await client.newDevice({ model: 'Third' });
    const deviceOf = async (batch: string) => {
      const [stored] = await service
        .collection('batches')
        .find({ user: client.user })
        .sort({ _id: -1 })
        .toArray();
      expect(String(stored?._id)).toBe(batch);
      return String(stored?.device);
    };
    expect(await deviceOf(await client.send(['111']))).toBe(phone.deviceId);
    await client.patch(`/gateway/devices/${phone.deviceId}`, { enabled: false });
    await client.post(`/gateway/devices/${third}/heartbeat`);
    expect(await deviceOf(await client.send(['111']))).toBe(third);
    await client.post(`/gateway/devices/${second}/set-default`);
    expect(await deviceOf(await client.send(['111']))).toBe(second);
    const named = await client.post('/gateway/send-sms', {
      message: 'x',
      recipients: ['111'],
      deviceId: phone.deviceId,
    });
    expect([named.status, (named.body as { code: string }).code]).toEqual([400, 'DEVICE_DISABLED']);
    for (const id of [second, third]) await client.patch(`/gateway/devices/${id}`, { enabled: false });
    const none = await client.post('/gateway/send-sms', { message: 'x', recipients: ['111'] });
    expect([none.status, (none.body as { code: string }).code]).toEqual([400, 'NO_ENABLED_DEVICE']);
  });

  it('rejects a SIM that the device does not have', async () => {
    const sims = [{ subscriptionId: 1 }, { subscriptionId: 3 }];
    await client.post(`/gateway/devices/${phone.deviceId}/heartbeat`, { simInfo: { sims } });
    const send = (simSubscriptionId: number) =>
      client.post('/gateway/send-sms', { message: 'x', recipients: ['111'], simSubscriptionId });
    expect(await send(2)).toMatchObject({ status: 400, body: { details: [{ field: 'simSubscriptionId' }] } });
    expect((await send(3)).status).toBe(200);
    await phone.until('sent', 1);
    expect(
      await service.collection('messages').countDocuments({ user: client.user, simSubscriptionId: 3 }),
    ).toBe(1);
  });
});
