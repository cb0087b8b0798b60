import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { Types } from 'mongoose';
import { TestClient } from '../support/client';
import { ScriptedTransport } from '../support/scripted-transport';
import { dispatchWave } from '../support/dispatch-wave';
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
    device = await client.newDevice({ partsPerMinute: null });
  });
  afterAll(() => service.stop());

  const path = (rest: string) => `/gateway/devices/${device}/${rest}`;
  const data = (answer: { body: unknown }) => (answer.body as { data: unknown }).data;
  const dispatch = (batch: string) => dispatchWave(service, batch);

  /** Sends and dispatches messages. @returns their ids. */
  async function sendAndDispatch(recipients: string[]): Promise<string[]> {
    const batch = await client.send(recipients, { deviceId: device });
    await dispatch(batch);
    return (await client.batch(device, batch)).messages.map(({ _id }) => _id);
  }

  const outboxOf = async (id: string) =>
    (await service.collection('messages').findOne({ _id: new Types.ObjectId(id) }))?.outbox as unknown[];

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

    it.each([0, 86_400_000, 1767225600, 8.64e15, 'yesterday', '+275760-09-13T00:00:00Z'])(
      'and heartbeats with SIMs of the impossible time %p get that of the call',
      async (lastUpdated) => {
        const before = service.clock.now().getTime();
        const simInfo = { lastUpdated, sims: [{ subscriptionId: 1 }] };
        const registered = data(
          await client.post('/gateway/devices', { model: 'M', simInfo }).expect(201),
        ) as {
          _id: string;
        };
        await client.post(`/gateway/devices/${registered._id}/heartbeat`, { simInfo }).expect(200);
        const heard = data(await client.get(`/gateway/devices/${registered._id}`));
        for (const each of [registered, heard] as { simInfo: { lastUpdated: string } }[])
          expect(new Date(each.simInfo.lastUpdated).getTime()).toBeGreaterThanOrEqual(before);
      },
    );

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

    const alike = { brand: 'b', model: 'm', buildId: 'x', serial: '' };
    const card = (iccId: string) => ({ lastUpdated: 0, sims: [{ subscriptionId: 1, iccId }] });
    it.each([
      ['push tokens', (phone: number) => ({ fcmToken: `token-${String(client.user)}-${phone}` })],
      ['SIM cards', (phone: number) => ({ simInfo: card(`894902000000000000${phone}`) })],
      [
        'push tokens and the same SIM card of an emulator',
        (phone: number) => ({
          fcmToken: `token-${String(client.user)}-${phone}`,
          simInfo: card('89014103211118510720'),
        }),
      ],
    ])(
      'makes three devices of three phones of one model with different %s at the same time',
      async (_, own) => {
        const phones = [1, 2, 3].map((phone) => ({ ...alike, ...own(phone) }));
        const register = () => Promise.all(phones.map((phone) => client.newDevice(phone)));
        const ids = await register();
        expect(new Set(ids).size).toBe(3);
        service.clock.advance(59_000);
        expect(await register()).toEqual(ids);
      },
    );

    it('gives a phone with a reinstalled app its own device, and not that of another phone of its model', async () => {
      const token = (name: string) => `token-${String(client.user)}-${name}`;
      const phone = (name: string) => ({
        ...alike,
        fcmToken: token(name),
        simInfo: card(`8949020000000000${name}`),
      });
      const [first, second] = await Promise.all([client.newDevice(phone('1')), client.newDevice(phone('2'))]);
      service.clock.advance(HOUR);
      await client.post(`/gateway/devices/${second}/heartbeat`).expect(200);
      service.clock.advance(60_000);
      expect(await client.newDevice({ ...phone('2'), fcmToken: token('reinstalled') })).toBe(second);
      expect(await client.newDevice({ ...phone('1'), fcmToken: token('again') })).toBe(first);
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
      ['no sender', { sender: undefined }, { sender: 'unknown', repairedFields: ['sender'] }],
      ['an empty sender', { sender: '' }, { sender: 'unknown', repairedFields: ['sender'] }],
      ['null for the sender', { sender: null }, { sender: 'unknown', repairedFields: ['sender'] }],
      ['a sender that is a number', { sender: 5 }, { sender: '5', repairedFields: ['sender'] }],
      ['a text that is a number', { message: 123456 }, { message: '123456', repairedFields: ['message'] }],
      ['a text that is a boolean', { message: true }, { message: 'true', repairedFields: ['message'] }],
      ['a time that is an object', { receivedAtInMillis: { a: 1 } }, { repairedFields: ['receivedAt'] }],
      ['a time out of range', { receivedAtInMillis: 1e300 }, { repairedFields: ['receivedAt'] }],
      ['an invalid time', { receivedAt: 'yesterday' }, { repairedFields: ['receivedAt'] }],
      ['the year 1970', { receivedAtInMillis: 86_400_000 }, { repairedFields: ['receivedAt'] }],
      ['the year 1980', { receivedAt: '1980-01-06T00:00:00Z' }, { repairedFields: ['receivedAt'] }],
      ['seconds for milliseconds', { receivedAtInMillis: 1767225600 }, { repairedFields: ['receivedAt'] }],
      ['the year 275760', { receivedAtInMillis: 8.64e15 }, { repairedFields: ['receivedAt'] }],
    ])('are kept, stand at their upload and raise their event: %s', async (_, fields, stored) => {
      const before = service.clock.now();
      const message = await storedOf(await upload(fields).expect(200));
      expect(message).toMatchObject({ sender: '+49151', message: 'Hi', ...stored });
      expect(message).not.toHaveProperty('originalCreatedAt');
      for (const time of [message.createdAt, message.receivedAt])
        expect(new Date(String(time)).getTime()).toBeGreaterThanOrEqual(before.getTime());
      expect((await outboxOf(message._id)).length).toBe(1);
      expect(data(await client.get('/gateway/messages?limit=1'))).toMatchObject([{ _id: message._id }]);
    });

    it('of a form are read as those of JSON, and recognised as the same upload', async () => {
      const at = service.clock.now().getTime() - 1_000;
      const fields = { sender: '+49151', message: 'Hi', receivedAtInMillis: String(at) };
      const form = new URLSearchParams(fields).toString();
      const answer = await client
        .post(path('receive-sms'), form)
        .set('content-type', 'application/x-www-form-urlencoded');
      const message = await storedOf(answer);
      expect(message).toMatchObject({ sender: '+49151', receivedAt: new Date(at).toISOString() });
      expect(message).not.toHaveProperty('repairedFields');
      expect((await storedOf(await upload({ receivedAtInMillis: at })))._id).toBe(message._id);
    });

    it('with an impossible time are recognised when they are repeated, and differ by the time as it was sent', async () => {
      const idOf = async (receivedAtInMillis: number | string) =>
        (await storedOf(await upload({ receivedAtInMillis })))._id;
      const first = await idOf(1767225600);
      service.clock.advance(1_000);
      expect(await idOf('1767225600')).toBe(first);
      expect(await idOf(1767225601)).not.toBe(first);
    });

    it.each([
      ['the device is disabled', () => client.patch(`/gateway/devices/${device}`, { enabled: false })],
      ['receiving is off', () => client.post(path('heartbeat'), { receiveSMSEnabled: false })],
    ])('that arrive while %s are ignored, and named as a problem', async (_, change) => {
      const problems = async () =>
        (data(await client.get('/gateway/problems')) as { code: string }[]).map(({ code }) => code);
      await change();
      expect(await problems()).not.toContain('incoming_messages_ignored');
      const answers = await Promise.all([1, 2, 3].map((index) => upload({ message: `${index}` })));
      for (const { body } of answers) expect(body).toMatchObject({ data: { ignored: true } });
      expect(await problems()).toContain('incoming_messages_ignored');
      const stored = async () =>
        (await service.collection('devices').findOne({ _id: new Types.ObjectId(device) }))
          ?.lastIgnoredSmsAt as Date;
      const at = await stored();
      service.clock.advance(HOUR / 2);
      await upload({ message: 'again' });
      expect(await stored()).toEqual(at);
      service.clock.advance(HOUR);
      await upload({ message: 'later' });
      expect((await stored()).getTime()).toBeGreaterThan(at.getTime());
      expect(await service.collection('messages').countDocuments({ user: client.user })).toBe(0);
    });

    it.each([
      ['an empty text', { message: '' }],
      ['a text that is an object', { message: { $gt: '' } }],
    ])('without a text are ignored instead of refused: %s', async (_, fields) => {
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

    it.each([1, 86_400_000, 1767225600, 8.64e15, 1e300, '8640000000000000', Number.MAX_SAFE_INTEGER])(
      'with the impossible time %p get that of the report',
      async (time) => {
        const ids = await sendAndDispatch(['111', '222']);
        const [sent = '', failed = ''] = ids;
        const before = service.clock.now().getTime();
        const times = {
          sentAtInMillis: time,
          deliveredAtInMillis: time,
          failedAtInMillis: time,
          pushReceivedAtInMillis: time,
          sendAttemptedAtInMillis: time,
        };
        for (const status of ['SENT', 'DELIVERED']) await client.report(device, sent, status, times);
        await client.report(device, failed, 'FAILED', times);
        const messages = await Promise.all(ids.map((id) => client.message(device, id)));
        const [first, second] = messages as unknown as Record<string, string>[];
        for (const at of [first?.sentAt, first?.deliveredAt, second?.failedAt]) {
          const millis = new Date(at ?? '').getTime();
          expect(millis).toBeGreaterThanOrEqual(before);
          expect(millis).toBeLessThanOrEqual(service.clock.now().getTime());
        }
        expect(second).not.toHaveProperty('sentAt');
        for (const message of messages)
          for (const field of ['pushReceivedAt', 'sendAttemptedAt'])
            expect(message).not.toHaveProperty(field);
      },
    );

    it.each([
      ['1', 'generic'],
      ['2', 'airplane'],
      ['3', 'unusual characters'],
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

    it.each([
      ['SENT, SENT, DELIVERED, FAILED', 'delivered', ['failed'], /a part of it failed \(1\)\. .*missing/],
      ['DELIVERED, DELIVERY_FAILED', 'delivered', ['delivery_failed'], /did not deliver a part/],
      [
        'DELIVERED, FAILED, FAILED, DELIVERY_FAILED, SENT',
        'delivered',
        ['failed', 'delivery_failed'],
        /missing/,
      ],
      ['FAILED, DELIVERED', 'failed', ['delivered'], /delivered it\. Do not send it again\./],
      ['FAILED, SENT, SENT, DELIVERED, FAILED', 'failed', ['sent', 'delivered'], /Do not send it again\./],
    ])('after the final status are kept beside it: %s', async (sequence, status, later, text) => {
      const message = status === 'delivered' ? 'x'.repeat(400) : 'Hello';
      const batch = await client.send(['111'], { deviceId: device, message });
      await dispatch(batch);
      const smsId = (await client.batch(device, batch)).messages[0]?._id ?? '';
      const before = service.clock.now().getTime();
      const statuses = sequence.split(', ');
      for (const each of statuses)
        await client.report(device, smsId, each, each === 'FAILED' ? { errorCode: '1' } : {});
      const stored = await client.message(device, smsId);
      expect(stored).toMatchObject({
        status,
        laterReports: later.map((each) => ({
          status: each,
          at: expect.any(String) as string,
          ...(each === 'failed' && { errorCode: '1' }),
        })),
      });
      const [{ at }] = stored.laterReports as [{ at: string }];
      expect(new Date(at).getTime()).toBeGreaterThanOrEqual(before);
      const events = (await outboxOf(smsId)) as { event: string }[];
      const last = status === 'failed' ? 'MESSAGE_FAILED' : 'MESSAGE_DELIVERED';
      expect(events.map(({ event }) => event).filter((event) => event !== 'MESSAGE_SENT')).toEqual([last]);
      const { steps } = data(await client.get(`/gateway/messages/${smsId}/explanation`)) as {
        steps: { code: string; text: string }[];
      };
      const told = steps.filter(({ code }) => code === 'reported_later').map((step) => step.text);
      expect(told).toHaveLength(later.length);
      expect(told.join(' ')).toMatch(text);
      const failed = steps.find(({ code }) => code === 'failed');
      if (status === 'failed')
        expect(`${failed?.text} ${String(stored.errorMessage)}`).not.toContain('then send again');
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
