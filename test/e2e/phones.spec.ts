import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { Types } from 'mongoose';
import { DispatchService } from '../../src/gateway/dispatch/dispatch.service';
import { TestClient } from '../support/client';
import { ScriptedTransport } from '../support/scripted-transport';
import { TestService } from '../support/service';

const HOUR = 3_600_000;

describe('released phone apps', () => {
  let service: TestService;
  let transport: ScriptedTransport;
  let client: TestClient;
  let device: string;

  beforeAll(async () => {
    transport = new ScriptedTransport();
    service = await TestService.start({ environment: { APP_ROLES: 'api' }, transport });
  });
  beforeEach(async () => {
    client = await service.newAccount();
    device = await client.newDevice();
  });
  afterAll(() => service.stop());

  const path = (rest: string) => `/gateway/devices/${device}/${rest}`;
  const data = (answer: { body: unknown }) => (answer.body as { data: unknown }).data;
  const dispatch = (batch: string) =>
    service.get(DispatchService).dispatchWave({ batch: new Types.ObjectId(batch), wave: 0 });

  /** Sends and dispatches messages. @returns their ids. */
  async function sendAndDispatch(recipients: string[]): Promise<string[]> {
    const batch = await client.send(recipients, { deviceId: device });
    await dispatch(batch);
    return (await client.batch(device, batch)).messages.map(({ _id }) => _id);
  }

  describe('registration', () => {
    it('treats empty values as missing', async () => {
      const body =
        '{"fcmToken":"","enabled":true,"brand":"","manufacturer":"","model":"","buildId":"","os":"","osVersion":"","osApiLevel":0,' +
        '"osBuildFingerprint":"","serial":"","appVersionName":"","appVersionCode":0,"name":"","simInfo":{"lastUpdated":0,"sims":' +
        '[{"subscriptionId":0,"iccId":"","cardId":0,"carrierName":"","displayName":"","simSlotIndex":0,"mcc":"","mnc":"","countryIso":"","subscriptionType":""}]}}';
      const answer = await client.post('/gateway/devices', body).set('content-type', 'application/json');
      expect(answer.status).toBe(201);
      const registered = data(answer) as Record<string, unknown>;
      expect(registered).toMatchObject({
        brand: 'unknown',
        osVersion: 'unknown',
        enabled: true,
        heartbeatIntervalMinutes: 30,
      });
      expect(registered.simInfo).toMatchObject({ sims: [{ subscriptionId: 0, cardId: 0, simSlotIndex: 0 }] });
      for (const absent of ['osApiLevel', 'appVersionCode', 'appVersionName', 'osBuildFingerprint', 'name']) {
        expect(registered).not.toHaveProperty(absent);
      }
    });

    it('of a phone without a serial reuses a device that has missed two heartbeats, and creates another while it is active', async () => {
      const attributes = { brand: 'b', model: 'm', buildId: 'x', serial: 'unknown' };
      const first = await client.newDevice(attributes);
      expect(await client.newDevice(attributes)).toBe(first); // no heartbeat yet
      await client.post(`/gateway/devices/${first}/heartbeat`);
      const second = await client.newDevice(attributes);
      expect(second).not.toBe(first);
      await client.post(`/gateway/devices/${second}/heartbeat`);
      service.clock.advance(2 * HOUR);
      await client.post(`/gateway/devices/${first}/heartbeat`);
      expect(await client.newDevice(attributes)).toBe(second);
    });

    it('makes one device of twelve concurrent requests without any identity', async () => {
      const attributes = { brand: 'b', model: 'm', buildId: 'x', serial: '', fcmToken: '' };
      const ids = await Promise.all(Array.from({ length: 12 }, () => client.newDevice(attributes)));
      expect(new Set(ids).size).toBe(1);
    });

    it('continues after a process died while holding the lock', async () => {
      const until = new Date(service.clock.now().getTime() + 5_000);
      await service
        .collection('accounts')
        .updateOne({ _id: client.user }, { $set: { registering: { by: new Types.ObjectId(), until } } });
      const registering = client.newDevice({ model: 'Waiting' });
      await new Promise((resolve) => setTimeout(resolve, 100));
      service.clock.advance(5_001);
      expect(await registering).toMatch(/^[\da-f]{24}$/);
    });
  });

  describe('incoming messages', () => {
    const upload = (fields: object) =>
      client.post(path('receive-sms'), { sender: '+49151', message: 'Hi', ...fields });
    const storedOf = async (answer: { body: unknown }) =>
      client.message(device, (data(answer) as { _id: string })._id);
    const outboxOf = async (id: string) =>
      (await service.collection('messages').findOne({ _id: new Types.ObjectId(id) }))?.outbox as unknown[];

    it('are deduplicated by fingerprint, whether the phone or the server computes it', async () => {
      const at = service.clock.now().getTime() - 1_000;
      const fingerprint = createHash('md5').update(`+49151|Hi|${at}`).digest('hex');
      const answers = await Promise.all([
        upload({ receivedAtInMillis: at, fingerprint }),
        upload({ receivedAtInMillis: at, fingerprint: '' }),
        upload({ receivedAt: new Date(at).toISOString() }),
        upload({ receivedAtInMillis: at }),
      ]);
      expect(new Set(answers.map((answer) => (data(answer) as { _id: string })._id)).size).toBe(1);
    });

    it.each([
      [23, false, true],
      [25, true, true],
      [47, true, true],
      [49, true, false],
    ])('uploaded %i hours late', async (hours, late, raises) => {
      const receivedAt = new Date(service.clock.now().getTime() - hours * HOUR);
      const message = await storedOf(await upload({ receivedAtInMillis: receivedAt.getTime() }));
      expect(message.receivedAt).toBe(receivedAt.toISOString());
      expect(message.createdAt === receivedAt.toISOString()).toBe(late);
      expect('originalCreatedAt' in message).toBe(late);
      expect((await outboxOf(message._id)).length).toBe(raises ? 1 : 0);
    });

    it.each([
      ['no sender', { sender: undefined }],
      ['a sender that is a number', { sender: 5 }],
      ['an empty text', { message: '' }],
      ['a text that is an object', { message: { $gt: '' } }],
      ['a time that is an object', { receivedAtInMillis: { a: 1 } }],
      ['a time out of range', { receivedAtInMillis: 1e300 }],
      ['an invalid time', { receivedAt: 'yesterday' }],
    ])('that are invalid are ignored instead of refused: %s', async (_, fields) => {
      const answer = await upload(fields);
      expect([answer.status, answer.body]).toEqual([
        200,
        { data: { ignored: true, reason: expect.any(String) as string } },
      ]);
      expect(await service.collection('messages').countDocuments({ user: client.user })).toBe(0);
    });
  });

  describe('status reports', () => {
    it('accept zeros, empty strings, numbers for texts and unknown fields', async () => {
      const [smsId = ''] = await sendAndDispatch(['111']);
      const report = (body: object) => client.patch(path('sms-status'), body);
      const answer = await report({
        smsId,
        smsBatchId: '',
        status: 'Sent',
        sentAtInMillis: 0,
        deliveredAtInMillis: 0,
        failedAtInMillis: 0,
        errorCode: '',
        errorMessage: '',
        pushReceivedAtInMillis: 1767225600000,
        sendAttemptedAtInMillis: '1767225601000',
        reportAttempt: 3,
        simUsed: 2,
        somethingNew: [1],
      });
      expect(answer.status).toBe(200);
      expect(await client.message(device, smsId)).toMatchObject({
        status: 'sent',
        simSubscriptionId: 2,
        pushReceivedAt: '2026-01-01T00:00:00.000Z',
        sendAttemptedAt: '2026-01-01T00:00:01.000Z',
      });
      await report({
        smsId,
        status: 'DELIVERY_FAILED',
        errorCode: 0,
        errorMessage: 'x'.repeat(5_000),
        deliveredAtInMillis: 'never',
      });
      const message = await client.message(device, smsId);
      expect(message).toMatchObject({ status: 'sent', errorCode: '0', errorMessage: 'x'.repeat(1_000) });
      expect(message).not.toHaveProperty('deliveredAt');
    });

    it.each([
      ['1', 'generic'],
      ['2', 'airplane'],
      ['3', 'null PDU'],
      ['4', 'no service'],
      ['5', 'limits'],
      ['7', 'short code'],
      ['8', 'Short codes'],
      ['17', 'network'],
      ['PERMISSION_DENIED', 'permission'],
      ['SENDING_EXCEPTION', 'app'],
      ['99', 'code 99'],
    ])('of a failure with code %s get a reason with a suggestion', async (errorCode, word) => {
      const [smsId = ''] = await sendAndDispatch(['111']);
      await client.report(device, smsId, 'FAILED', { errorCode });
      const message = await client.message(device, smsId);
      expect(message).toMatchObject({
        status: 'failed',
        errorCode,
        errorMessage: expect.stringContaining(word) as string,
      });
      expect(String(message.errorMessage)).toMatch(/\. [A-Z].*\.$/);
    });

    it('for a message of another account or device change nothing and are answered 404', async () => {
      const stranger = await service.newAccount();
      const theirDevice = await stranger.newDevice();
      const [smsId = ''] = await sendAndDispatch(['111']);
      for (const [who, on] of [
        [stranger, theirDevice],
        [stranger, device],
        [client, await client.newDevice()],
      ] as const) {
        expect((await who.report(on, smsId, 'FAILED')).status).toBe(404);
      }
      expect((await client.message(device, smsId)).status).toBe('dispatched');
    });

    it('in any order result in the same batch status, and count each message once on the device', async () => {
      const statuses = fc.constantFrom('SENT', 'DELIVERED', 'FAILED', 'DELIVERY_FAILED');
      const reports = fc.array(fc.tuple(fc.nat(3), statuses), { minLength: 1, maxLength: 16 });
      await fc.assert(
        fc.asyncProperty(reports, async (sequence) => {
          const countOf = async () => {
            const { body } = (await client.get(`/gateway/devices/${device}`)) as {
              body: { data: { sentSMSCount: number } };
            };
            return body.data.sentSMSCount;
          };
          const before = await countOf();
          const batch = await client.send(['111', '222', '333', '444'], { deviceId: device });
          await dispatch(batch);
          const ids = (await client.batch(device, batch)).messages.map(({ _id }) => _id);
          for (const [index, status] of sequence) await client.report(device, ids[index] ?? '', status);
          const { batch: record, messages } = await client.batch(device, batch);
          const having = (...wanted: string[]) =>
            messages.filter(({ status }) => wanted.includes(status)).length;
          expect(record.successCount).toBe(having('sent', 'delivered'));
          expect(record.failureCount).toBe(having('failed'));
          const expected =
            having('dispatched') > 0
              ? 'processing'
              : having('failed') === 4
                ? 'failed'
                : having('sent', 'delivered') === 4
                  ? 'completed'
                  : having('sent', 'delivered') > 0
                    ? 'partial_success'
                    : 'unknown';
          expect(record.status).toBe(expected);
          const succeeded = ids.filter((_, index) => {
            const reported = sequence.filter(([of]) => of === index).map(([, status]) => status);
            const beforeFailure = reported.includes('FAILED')
              ? reported.slice(0, reported.indexOf('FAILED'))
              : reported;
            return beforeFailure.some((status) => status === 'SENT' || status === 'DELIVERED');
          });
          expect((await countOf()) - before).toBe(succeeded.length);
        }),
        { numRuns: 40 },
      );
    });
  });

  describe('lists of a phone', () => {
    it('contain unacknowledged messages: at most 25, oldest first, in the format of the push', async () => {
      const ids = await sendAndDispatch(Array.from({ length: 30 }, (_, index) => `11${index + 100}`));
      const pending = await client.get(path('messages/pending'));
      const list = data(pending) as { smsId: string }[];
      expect(list.length).toBe(25);
      expect(list[0]).toEqual({
        smsId: expect.any(String) as string,
        smsBatchId: expect.any(String) as string,
        message: 'Hello',
        recipients: [expect.any(String) as string],
      });
      await client.post(path('messages/ack'), { smsIds: ids.slice(0, 28) });
      expect(
        (data(await client.get(path('messages/pending'))) as { smsId: string }[])
          .map(({ smsId }) => smsId)
          .sort(),
      ).toEqual(ids.slice(28).sort());
      expect((await client.post(path('heartbeat'))).body).toMatchObject({ pendingCount: 2 });
    });

    it('contain over FCM only messages that were pushed more than 30 minutes ago', async () => {
      await sendAndDispatch(['111']);
      await service
        .collection('devices')
        .updateOne({ _id: new Types.ObjectId(device) }, { $set: { pushTransport: 'fcm' } });
      const pending = async () => [
        (data(await client.get(path('messages/pending'))) as unknown[]).length,
        ((await client.post(path('heartbeat'))).body as { pendingCount: number }).pendingCount,
      ];
      expect(await pending()).toEqual([0, 0]);
      service.clock.advance(31 * 60_000);
      expect(await pending()).toEqual([1, 1]);
      service.clock.advance(72 * HOUR);
      expect(await pending()).toEqual([0, 0]);
    });

    it('contain all messages or the received ones, in pages', async () => {
      await sendAndDispatch(['111', '222']);
      for (const message of ['a', 'b', 'c']) {
        await client.post(path('receiveSMS'), {
          sender: 'X',
          message,
          receivedAtInMillis: service.clock.now().getTime(),
        });
      }
      const other = await client.newDevice();
      await client.post(`/gateway/devices/${other}/receive-sms`, { sender: 'Y', message: 'not mine' });
      const page = async (rest: string) => {
        const answer = await client.get(path(rest));
        return {
          texts: (data(answer) as { message: string }[]).map(({ message }) => message),
          meta: (answer.body as { meta: unknown }).meta,
        };
      };
      expect(await page('messages?page=1&limit=4')).toMatchObject({
        texts: ['c', 'b', 'a', 'Hello'],
        meta: { page: 1, limit: 4, total: 5, totalPages: 2 },
      });
      expect((await page('messages?type=sent')).texts).toEqual(['Hello', 'Hello']);
      const received = { texts: ['b', 'a'], meta: { page: 1, limit: 2, total: 3, totalPages: 2 } };
      expect(await page('get-received-sms?page=1&limit=2')).toEqual({
        texts: ['c', 'b'],
        meta: received.meta,
      });
      expect((await page('getReceivedSMS?page=2&limit=2')).texts).toEqual(['a']);
    });
  });

  it('send from the device in the path for older integrations, answered 201', async () => {
    for (const route of ['send-sms', 'sendSMS']) {
      const answer = await client.post(path(route), { receivers: ['111'], smsBody: 'Old' });
      expect(answer.status).toBe(201);
      expect((data(answer) as { smsBatchId: string }).smsBatchId).toMatch(/^[\da-f]{24}$/);
    }
    const bulk = await client.post(path('send-bulk-sms'), {
      messageTemplate: 'T',
      messages: [{ message: 'A', recipients: ['1', '111'] }],
    });
    expect(bulk.status).toBe(400);
    await client.patch(`/gateway/devices/${device}`, { enabled: false });
    expect(await client.post(path('send-sms'), { message: 'x', recipients: ['111'] })).toMatchObject({
      status: 400,
      body: { code: 'DEVICE_DISABLED' },
    });
  });
});
