import type { LoggerService } from '@nestjs/common';
import Redis from 'ioredis';
import { mongo, Types } from 'mongoose';
import request from 'supertest';
import { DevicesRepository } from '../../src/devices/store/devices.repository';
import { streamChannel } from '../../src/push/stream/stream-channel';
import { RedisConfig } from '../../src/config/sections/redis.config';
import { freePort } from 'messaging-gateway-local-stack/ports';
import { VirtualPhone } from 'messaging-gateway-phone';
import { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { MailServer } from '../support/mail-server';
import { TestService } from '../support/service';
import { TcpProxy } from '../support/tcp-proxy';
import { SessionClient } from '../support/session-client';
import { respondWith, WebhookReceiver } from '../support/webhook-receiver';

const idsOf = (body: unknown) => (body as { data: { _id: string; name: string }[] }).data;

describe('revoking a key under load', () => {
  it('rejects the key on all processes once the revocation is answered', async () => {
    // No request here exceeds a rate limit.
    const environment = { RATE_LIMIT_PER_KEY: '0', RATE_LIMIT_PER_ADDRESS: '0' };
    const one = await TestService.start({ environment });
    const two = await TestService.start({ shared: one, environment });
    const owner = await one.newAccount();
    const person = await one.signIn(owner);
    const made = await person.post('/auth/api-keys', { name: 'To be revoked' });
    const key = new TestClient(one.url, (made.body as { data: string }).data, owner.user);
    const id = idsOf((await owner.get('/auth/api-keys')).body).find(
      ({ name }) => name === 'To be revoked',
    )?._id;
    const device = await owner.newDevice();
    const calls = [
      (client: TestClient) => client.get('/gateway/stats'),
      (client: TestClient) => client.get(`/gateway/devices/${device}`),
      (client: TestClient) => client.post(`/gateway/devices/${device}/heartbeat`),
      (client: TestClient) =>
        client.post('/gateway/send-sms', { message: 'x', recipients: ['+49151'], deviceId: device }),
    ];
    let revokedAt = Infinity;
    let isOver = false;
    const seen = { before: 0, after: [] as number[] };
    const hammer = async (worker: number) => {
      for (let index = worker; !isOver; index++) {
        const startedAt = performance.now();
        const call = calls[index % calls.length] ?? ((client: TestClient) => client.get('/gateway/stats'));
        const { status } = await call(key.at(index % 2 ? one.url : two.url));
        if (startedAt > revokedAt) seen.after.push(status);
        else if (status < 400) seen.before++;
      }
    };
    const hammering = Promise.all(Array.from({ length: 16 }, (_, worker) => hammer(worker)));
    await eventually(
      () => seen.before,
      (count) => count > 50,
    );
    expect((await person.post(`/auth/api-keys/${id ?? ''}/revoke`)).status).toBe(200);
    revokedAt = performance.now();
    await eventually(
      () => seen.after.length,
      (count) => count > 50,
    );
    isOver = true;
    await hammering;
    expect([...new Set(seen.after)]).toEqual([401]);
    await two.stop();
    await one.stop();
  });
});

/** Records all log lines, at every level. */
class CapturingLogger implements LoggerService {
  text = '';

  log = (...parts: unknown[]): void => {
    this.text += `${parts.map((part) => (part instanceof Error ? (part.stack ?? '') : JSON.stringify(part))).join(' ')}\n`;
  };
  error = this.log;
  warn = this.log;
  debug = this.log;
  verbose = this.log;
  fatal = this.log;
}

describe('the log', () => {
  const PASSWORDS = ['correct horse battery', 'staple battery horse', 'a wrong password'];
  const TEXTS = [
    'Your one-time secret is 4711',
    'A campaign nobody should read',
    'An answer from the street',
  ];
  const NUMBERS = ['+4915112345678', '+4915187654321', '+4917012121212', '+4916099887766'];
  const [registered = '', reset = '', wrong = ''] = PASSWORDS;
  const [text = '', campaign = '', answer = ''] = TEXTS;
  const [recipient = '', second = '', third = '', sender = ''] = NUMBERS;
  const email = 'ada@example.com';
  const SIGNING_SECRET = 'a signing secret of the owner';
  const URL_TOKEN = 'a-token-in-the-address';
  const ENDPOINT_SAID = 'What the endpoint says of it';

  const logger = new CapturingLogger();
  // The beginning of a text too, because parsers quote it.
  const secrets = new Set([
    ...PASSWORDS,
    ...TEXTS.map((text) => text.slice(0, 9)),
    ...NUMBERS,
    ...[SIGNING_SECRET, URL_TOKEN, ENDPOINT_SAID],
  ]);
  let mails: MailServer;
  let database: TcpProxy;
  let redis: TcpProxy;
  let receiver: WebhookReceiver;
  let service: TestService;

  beforeAll(async () => {
    const { MONGODB_URI = '', REDIS_URL = '' } = process.env;
    [database, redis] = [await TcpProxy.to(MONGODB_URI), await TcpProxy.to(REDIS_URL)];
    mails = await MailServer.start();
    receiver = await WebhookReceiver.start();
    service = await TestService.start({
      logger,
      environment: {
        ALLOW_REGISTRATION: 'true',
        SMTP_URL: mails.url,
        MAIL_FROM: 'gateway@example.com',
        BOOTSTRAP_API_KEY: 'a-first-key-of-the-operator',
        MONGODB_URI: database.via(MONGODB_URI),
        REDIS_URL: redis.via(REDIS_URL),
        WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
      },
    });
    secrets.add('a-first-key-of-the-operator');
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    database.restore();
    redis.restore();
    await service.stop();
    await Promise.all([database.close(), redis.close(), mails.close(), receiver.stop()]);
  });

  it('never contains a key, password, token, code, phone number or message text', async () => {
    const visitor = new SessionClient(service.url);
    const ada = await visitor.register(email, registered);
    const verificationCode = await mails.codeFor(email);
    await visitor.post('/auth/verify-email', { userId: ada.session.user._id, verificationCode: '00000000' });
    await ada.post('/auth/verify-email', { userId: ada.session.user._id, verificationCode });
    await visitor.post('/auth/login', { email, password: wrong });
    await visitor.post('/auth/request-password-reset', { email });
    const otp = await mails.codeFor(email, 'Reset');
    await visitor.post('/auth/reset-password', { email, otp, newPassword: reset });
    const again = await visitor.logIn(email, reset);
    const key = ((await again.post('/auth/api-keys')).body as { data: string }).data;
    for (const secret of [verificationCode, otp, ada.accessToken, again.accessToken, key])
      secrets.add(secret ?? '');

    const client = new TestClient(service.url, key, new Types.ObjectId(ada.session.user._id));
    const phone = new VirtualPhone({
      baseUrl: service.url,
      apiKey: key,
      sendDelaySeconds: 0,
      deliveryDelaySeconds: 0,
    });
    await phone.start();
    const device = phone.deviceId;
    const responseText = `${ENDPOINT_SAID}: ${text} for ${recipient}`;
    receiver.respond = respondWith(500, responseText);
    const subscribe = (deliveryUrl: string, events: string[]) =>
      client.post('/webhooks', { deliveryUrl, signingSecret: SIGNING_SECRET, events });
    const outgoing = ['MESSAGE_SENT', 'MESSAGE_DELIVERED', 'MESSAGE_FAILED'];
    // One endpoint that responds, and one that refuses connections.
    await subscribe(`${receiver.url}?token=${URL_TOKEN}`, ['MESSAGE_RECEIVED', ...outgoing]);
    await subscribe(`http://127.0.0.1:${await freePort()}/${URL_TOKEN}`, outgoing);
    await subscribe(`nonsense://${URL_TOKEN}`, outgoing);
    const batch = await client.send([recipient, second], { message: text });
    await client.post('/gateway/send-bulk-sms', { messages: [{ message: campaign, recipients: [third] }] });
    await client.post(`/gateway/devices/${device}/receive-sms`, { sender, message: answer });
    const { messages } = await eventually(
      () => client.batch(device, batch),
      (state) => state.batch.status === 'completed',
    );
    await client.report(device, messages[0]?._id ?? '', 'FAILED', { errorCode: '4', errorMessage: text });

    // Every result of a delivery attempt.
    const attempts = (outcome: string) =>
      eventually(
        () => logger.text,
        (log) => new RegExp(`Attempt \\d+ to deliver \\w+: ${outcome}`).test(log),
      );
    await attempts('retryable, status 500');
    await attempts('retryable, no response');
    receiver.respond = respondWith(400, responseText);
    await client.post(`/gateway/devices/${device}/receive-sms`, { sender, message: `${answer} again` });
    await attempts('non-retryable, status 400');
    receiver.respond = respondWith(200, responseText);
    await client.post(`/gateway/devices/${device}/receive-sms`, { sender, message: `${answer} and again` });
    await attempts('delivered, status 200');
    expect(receiver.received.some(({ body }) => body.includes(answer))).toBe(true);

    await client.post('/gateway/send-sms', { message: text, recipients: [recipient, `${third}x`] });
    await client.post('/gateway/send-sms', `{"message": "${text}", "recipients": ["${recipient}"`);
    await client.get(`/gateway/messages?search=${encodeURIComponent(recipient)}`);
    await client.get(`/gateway/nothing/${encodeURIComponent(recipient)}?token=${again.accessToken ?? ''}`);
    await request(service.url).get('/api/v1/gateway/stats').set('x-api-key', `${key}x`);

    // Messages from Redis can be malformed.
    const publisher = new Redis(process.env.REDIS_URL ?? '');
    const channel = streamChannel(service.get(RedisConfig), new Types.ObjectId(device));
    await publisher.publish(channel, `${text} to ${recipient}`);
    await publisher.quit();
    await eventually(
      () => logger.text,
      (log) => log.includes(`A message from Redis for device ${device} was ignored`),
    );

    // The database quotes the document of a rejected write.
    const refusal = `E11000 duplicate key error index: x dup key: { serial: "${text}", number: "${recipient}" }`;
    jest
      .spyOn(service.get(DevicesRepository), 'list')
      .mockRejectedValueOnce(new mongo.MongoServerError({ message: refusal, code: 11000 }));
    expect((await client.get('/gateway/devices')).status).toBe(500);
    expect(logger.text).toContain('E11000');

    redis.cut();
    await client.send([recipient], { message: text });
    redis.restore();
    database.cut();
    const cut = await Promise.all([
      client.post('/gateway/send-sms', { message: text, recipients: [recipient] }),
      client.post(`/gateway/devices/${device}/receive-sms`, { sender, message: answer }),
      client.report(device, messages[1]?._id ?? '', 'FAILED', { errorMessage: text }),
      visitor.post('/auth/login', { email, password: reset }),
      again.get('/auth/who-am-i'),
    ]);
    expect(cut.map(({ status }) => status)).toEqual([503, 503, 503, 503, 503]);
    expect(logger.text).toContain('the database cannot be reached');
    database.restore();
    await eventually(
      () => client.get('/gateway/stats'),
      ({ status }) => status === 200,
    );
    await phone.stop();

    // Each provoked failure was logged.
    expect(logger.text.split('\n').length).toBeGreaterThan(5);
    const leaked = [...secrets].filter((secret) => secret === '' || logger.text.includes(secret));
    expect(leaked).toEqual([]);
    const bareNumbers = NUMBERS.map((number) => number.slice(1));
    expect(bareNumbers.filter((number) => logger.text.includes(number))).toEqual([]);
  });
});
