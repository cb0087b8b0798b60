import { Types } from 'mongoose';
import { FcmTransport } from '../../src/push/fcm/fcm-transport';
import type { PushCommand } from '../../src/push/transport/push-transport';
import { TestClient } from '../support/client';
import { FakeFcm, type FcmResponse, messageOf, fcmError, smsDataOf, accepted } from '../support/fake-fcm';
import { dispatchWave } from '../support/dispatch-wave';
import { TestService } from '../support/service';

const HOUR = 3_600_000;
const NUMBER = '+4915112345678';
const numbers = (count: number) =>
  Array.from({ length: count }, (_, index) => `+4915${String(index).padStart(8, '0')}`);
const unregistered = () => fcmError(404, 'NOT_FOUND', 'Requested entity was not found.', 'UNREGISTERED');

describe('FCM', () => {
  let fcm: FakeFcm;
  let service: TestService;
  let client: TestClient;
  let device: string;
  let token: string;

  // No worker runs: each test calls the steps it needs.
  beforeAll(async () => {
    fcm = await FakeFcm.start();
    service = await TestService.start({
      environment: { APP_ROLES: 'api', DISPATCH_WAVE_SIZE: '500' },
      firebase: fcm.options(),
    });
  });
  beforeEach(async () => {
    fcm.respond = accepted;
    fcm.signInFailure = undefined;
    fcm.received.length = 0;
    client = await service.newAccount();
    token = `token:${new Types.ObjectId().toHexString()}`;
    device = await client.newDevice({ pushTransport: undefined, fcmToken: token, partsPerMinute: null });
  });
  afterAll(async () => {
    await service.stop();
    await fcm.stop();
  });

  const dispatch = (batch: string) => dispatchWave(service, batch);
  const messagesOf = async (batch: string) => (await client.batch(device, batch)).messages;
  const storedToken = async () =>
    (await service.collection('devices').findOne({ _id: new Types.ObjectId(device) }))?.fcmToken as unknown;

  it('gets exactly the push that released apps read', async () => {
    const batch = await client.send([NUMBER], { message: 'Grüße, "du" 👋' });
    await dispatch(batch);
    const [message] = await messagesOf(batch);
    expect(fcm.received).toEqual([
      {
        method: 'POST',
        path: '/v1/projects/demo-project/messages:send',
        authorization: 'Bearer token-of-the-service',
        body: JSON.stringify({
          message: {
            token,
            data: {
              smsData: `{"smsId":"${message?._id ?? ''}","smsBatchId":"${batch}","message":"Grüße, \\"du\\" 👋","recipients":["${NUMBER}"]}`,
            },
            android: { priority: 'high', ttl: '259200s' },
          },
        }),
      },
    ]);
    expect(message).toMatchObject({ status: 'dispatched' });
  });

  it('includes the SIM if one is selected', async () => {
    await dispatch(await client.send([NUMBER], { simSubscriptionId: 2 }));
    expect(fcm.received.map(smsDataOf)).toMatchObject([{ simSubscriptionId: 2 }]);
  });

  it('gives each of 120 messages its own result', async () => {
    const recipients = numbers(120);
    fcm.respond = (push) => {
      const [recipient] = smsDataOf(push).recipients as string[];
      switch (recipients.indexOf(recipient ?? '') % 4) {
        case 1:
          return fcmError(400, 'INVALID_ARGUMENT');
        case 2:
          return fcmError(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded.', 'QUOTA_EXCEEDED');
        case 3:
          return fcmError(500, 'INTERNAL');
        default:
          return accepted();
      }
    };
    const batch = await client.send(recipients);
    await dispatch(batch);
    expect(fcm.received.length).toBe(120);
    expect((await messagesOf(batch)).map(({ status, errorCode }) => [status, errorCode])).toEqual(
      recipients.map(
        (_, index) =>
          [
            ['dispatched', undefined],
            ['failed', 'PUSH_REFUSED'],
            ['pending', undefined],
            ['dispatched', undefined],
          ][index % 4],
      ),
    );
  });

  it('takes more messages than one call carries', async () => {
    const commands = Array.from({ length: 1_100 }, (_, index): PushCommand => ({
      kind: 'sms',
      id: String(index),
      payload: { smsId: String(index) },
    }));
    fcm.respond = (push) =>
      smsDataOf(push).smsId === '1050'
        ? fcmError(403, 'PERMISSION_DENIED', 'No', 'SENDER_ID_MISMATCH')
        : accepted();
    const target = { deviceId: new Types.ObjectId(), transport: 'fcm', fcmToken: token } as const;
    const results = await service.get(FcmTransport).push(target, commands);
    expect(fcm.received.length).toBe(1_100);
    expect(results.map(({ outcome }) => outcome)).toEqual(
      commands.map((_, index) => (index === 1_050 ? 'refused' : 'accepted')),
    );
  });

  describe('permanently refuses', () => {
    it.each<[string, FcmResponse, string, boolean]>([
      ['an unregistered token', unregistered(), 'PUSH_TOKEN_INVALID', true],
      [
        'a malformed token',
        fcmError(400, 'INVALID_ARGUMENT', 'The registration token is not a valid FCM registration token'),
        'PUSH_TOKEN_INVALID',
        true,
      ],
      [
        'the token of another project',
        fcmError(403, 'PERMISSION_DENIED', 'SenderId mismatch', 'SENDER_ID_MISMATCH'),
        'PUSH_REFUSED',
        false,
      ],
      ['a malformed message', fcmError(400, 'INVALID_ARGUMENT', 'Bad android.ttl'), 'PUSH_REFUSED', false],
    ])('%s', async (_, answer, code, isTokenInvalid) => {
      fcm.respond = () => answer;
      const batch = await client.send([NUMBER]);
      await dispatch(batch);
      expect(await messagesOf(batch)).toMatchObject([
        { status: 'failed', errorCode: code, errorMessage: expect.stringContaining('send again') as string },
      ]);
      expect(fcm.received.length).toBe(1);
      expect(await storedToken()).toBe(isTokenInvalid ? undefined : token);
    });

    it('and the invalid token is removed, unless the phone has registered another one meanwhile', async () => {
      const fresh = `${token}:fresh`;
      fcm.respond = async () => {
        await client.patch(`/gateway/devices/${device}`, { fcmToken: fresh });
        return unregistered();
      };
      const batch = await client.send([NUMBER]);
      await dispatch(batch);
      expect(await messagesOf(batch)).toMatchObject([{ errorCode: 'PUSH_TOKEN_INVALID' }]);
      expect(await storedToken()).toBe(fresh);
    });

    it('and a device without a token cannot send', async () => {
      fcm.respond = unregistered;
      await dispatch(await client.send([NUMBER]));
      const answer = await client.post('/gateway/send-sms', {
        message: 'Hello',
        recipients: [NUMBER],
        deviceId: device,
      });
      expect([answer.status, answer.body]).toMatchObject([400, { code: 'DEVICE_NOT_PUSHABLE' }]);
    });
  });

  describe('is unavailable, and gets the message later', () => {
    const later = async (batch: string) => {
      expect(await messagesOf(batch)).toMatchObject([{ status: 'pending' }]);
      const before = fcm.received.length;
      fcm.respond = accepted;
      fcm.signInFailure = undefined;
      service.clock.advance(6_000);
      await dispatch(batch);
      expect(await messagesOf(batch)).toMatchObject([{ status: 'dispatched' }]);
      expect(fcm.received.length).toBe(before + 1);
    };

    it.each<[string, FcmResponse]>([
      ['over quota', fcmError(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded.', 'QUOTA_EXCEEDED')],
      ['503', fcmError(503, 'UNAVAILABLE', 'Down', 'UNAVAILABLE')],
      ['503 without an FCM error', { status: 503, body: '<html>Down</html>' }],
      ['not signed in', fcmError(401, 'UNAUTHENTICATED', 'No', 'THIRD_PARTY_AUTH_ERROR')],
    ])('%s, without a retry by the SDK', async (_, answer) => {
      fcm.respond = () => answer;
      const batch = await client.send([NUMBER]);
      await dispatch(batch);
      expect(fcm.received.length).toBe(1);
      await later(batch);
    });

    it('no access token', async () => {
      fcm.signInFailure = new Error('getaddrinfo ENOTFOUND oauth2.googleapis.com');
      const batch = await client.send([NUMBER]);
      await dispatch(batch);
      expect(fcm.received).toEqual([]);
      await later(batch);
    });

    it('connection refused', async () => {
      const other = await TestService.start({
        environment: { APP_ROLES: 'api' },
        shared: service,
        firebase: fcm.options(1),
      });
      const batch = await client.send([NUMBER]);
      await dispatchWave(other, batch);
      await other.stop();
      await later(batch);
    });
  });

  it.each<[string, FcmResponse]>([
    ['a lost connection', 'disconnect'],
    ['a response that is cut off', 'disconnect in body'],
    ['an internal error', fcmError(500, 'INTERNAL', 'Oops', 'INTERNAL')],
    ['an unknown response', { status: 502, body: '<html>Bad gateway</html>' }],
    ['no response', 'no response'],
  ])('%s: the message may be accepted and is never pushed again', async (_, answer) => {
    fcm.respond = () => answer;
    const batch = await client.send([NUMBER]);
    await dispatch(batch);
    expect(await messagesOf(batch)).toMatchObject([{ status: 'dispatched' }]);
    fcm.respond = accepted;
    service.clock.advance(HOUR);
    await dispatch(batch);
    // Longer than the SDK's own retry delay.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(fcm.received.length).toBe(1);
  });

  describe('limits data to 4,096 bytes', () => {
    /** The bytes of a push besides its text. */
    const overhead = Buffer.byteLength(
      `smsData{"smsId":"${'0'.repeat(24)}","smsBatchId":"${'0'.repeat(24)}","message":"","recipients":["${NUMBER}"]}`,
    );
    const room = 4_096 - overhead;
    const fill = (wide: string, bytes: number) => {
      const count = Math.floor(bytes / Buffer.byteLength(wide));
      return wide.repeat(count) + 'a'.repeat(bytes - count * Buffer.byteLength(wide));
    };

    it.each(['€', '😀'])('and a text of %s to the exact byte', async (wide) => {
      const batch = await client.send([NUMBER], { message: fill(wide, room) });
      const [push] = await dispatch(batch).then(() => fcm.received);
      const { smsData = '' } = push ? messageOf(push).data : {};
      expect(Buffer.byteLength(`smsData${smsData}`)).toBe(4_096);
      const answer = await client.post('/gateway/send-sms', {
        message: fill(wide, room + 1),
        recipients: [NUMBER],
      });
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ field: 'message' }] });
    });

    it('including JSON escapes, in each text of a bulk send; stores nothing', async () => {
      const quotes = '"'.repeat(1_600);
      const answer = await client.post('/gateway/send-bulk-sms', {
        messages: [
          { message: quotes, recipients: [NUMBER] },
          { message: '\u0001'.repeat(1_600), recipients: [NUMBER] },
          { message: '€'.repeat(1_400), recipients: [NUMBER] },
        ],
      });
      expect(answer.status).toBe(400);
      expect((answer.body as { details: { field: string }[] }).details.map(({ field }) => field)).toEqual([
        'messages.1.message',
        'messages.2.message',
      ]);
      expect(await service.collection('batches').countDocuments({ user: client.user })).toBe(0);
    });

    it('including the longest recipient', async () => {
      const message = fill('€', room);
      const recipients = ['123', NUMBER];
      expect((await client.post('/gateway/send-sms', { message, recipients })).status).toBe(200);
      const longer = [...recipients, `${NUMBER}9`];
      expect((await client.post('/gateway/send-sms', { message, recipients: longer })).status).toBe(400);
    });

    it('and a stream has no limit', async () => {
      const stream = await client.newDevice();
      await client.send([NUMBER], { message: '😀'.repeat(1_600), deviceId: stream });
    });

    it('and fails a longer message if the device has changed from a stream to FCM', async () => {
      const stream = await client.newDevice({ model: 'Other' });
      const batch = await client.send([NUMBER], { message: '😀'.repeat(1_600), deviceId: stream });
      await client.patch(`/gateway/devices/${stream}`, { pushTransport: 'fcm', fcmToken: `${token}:moved` });
      await dispatch(batch);
      expect((await client.batch(stream, batch)).messages).toMatchObject([
        { status: 'failed', errorCode: 'PUSH_TOO_LONG' },
      ]);
      expect(fcm.received).toEqual([]);
    });
  });

  it('is not available without credentials, and devices on FCM cannot send', async () => {
    const without = await TestService.start({ environment: { APP_ROLES: 'api' }, shared: service });
    const answer = await client
      .at(without.url)
      .post('/gateway/send-sms', { message: 'Hello', recipients: [NUMBER], deviceId: device });
    expect([answer.status, answer.body]).toMatchObject([400, { code: 'DEVICE_NOT_PUSHABLE' }]);
    await without.stop();
  });
});
