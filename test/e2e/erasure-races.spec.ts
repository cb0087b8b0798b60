import { setTimeout as sleep } from 'node:timers/promises';
import { accountScope } from '../../src/auth/account-scope';
import { AccountsRepository } from '../../src/auth/accounts/accounts.repository';
import { ApiKeysRepository } from '../../src/auth/api-keys/api-keys.repository';
import { OneTimeCodesRepository } from '../../src/auth/one-time-codes/one-time-codes.repository';
import { OneTimeCodesService } from '../../src/auth/one-time-codes/one-time-codes.service';
import { PasswordHasher } from '../../src/auth/passwords/password-hasher.service';
import { SessionsRepository } from '../../src/auth/sessions/sessions.repository';
import { SessionsService } from '../../src/auth/sessions/sessions.service';
import { SignInLinksRepository } from '../../src/auth/sessions/sign-in-links.repository';
import { SignInLinksService } from '../../src/auth/sessions/sign-in-links.service';
import { UsageRepository } from '../../src/billing/usage/usage.repository';
import { DevicesRepository } from '../../src/devices/store/devices.repository';
import { ErasureService } from '../../src/erasure/erasure.service';
import { BatchesRepository } from '../../src/messages/batches.repository';
import { OfferClaimsRepository } from '../../src/gateway/dispatch/offer-claims.repository';
import { MessagesRepository } from '../../src/messages/messages.repository';
import { ReportsRepository } from '../../src/messages/reports/reports.repository';
import { DeliveriesRepository } from '../../src/webhooks/deliveries/deliveries.repository';
import { WebhookSubscriptionsRepository } from '../../src/webhooks/subscriptions/webhook-subscriptions.repository';
import { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { type PausedCall, pauseNextCall } from '../support/pause-next-call';
import { TestService } from '../support/service';
import { countStoredDocuments } from '../support/count-stored-documents';
import { untilErased } from '../support/until-erased';
import { SessionClient } from '../support/session-client';
import { respondWith, WebhookReceiver } from '../support/webhook-receiver';

const PASSWORD = 'correct horse battery staple';
const SMS = { sender: '+49151', message: 'Hi' };
/** How long an operation may take to reach the step it is held at, on a busy machine. */
const STEP_TIMEOUT_MS = 60_000;
const SECRET = 'a secret of twenty letters';

interface Answer {
  readonly status?: number;
  readonly body: unknown;
}

describe('work that is in progress while its account is erased', () => {
  let service: TestService;
  let receiver: WebhookReceiver;
  let passwordHash: string;
  let owner: TestClient;
  let person: SessionClient;
  let email: string;
  let device: string;
  let smsId: string;
  const erased: TestClient[] = [];

  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    receiver.respond = respondWith(500);
    service = await TestService.start({ environment: { WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' } });
    passwordHash = await service.get(PasswordHasher).hash(PASSWORD);
  });
  beforeEach(async () => {
    owner = await service.newAccount();
    email = `${owner.user.toHexString()}@example.com`;
    await service
      .get(AccountsRepository)
      .setPassword(accountScope(owner.user), passwordHash, null, new Date());
    person = await service.signIn(owner);
    device = await owner.newDevice();
    const batch = await owner.send(['+4915112345678']);
    smsId = (await owner.batch(device, batch)).messages[0]?._id ?? '';
  });
  afterAll(async () => {
    await service.stop();
    await receiver.stop();
  });

  const visitor = () => new SessionClient(service.url);
  const webhook = (events: string[]) => ({ deliveryUrl: receiver.url, events, signingSecret: SECRET });
  const upload = () =>
    owner.post(`/gateway/devices/${device}/receive-sms`, {
      ...SMS,
      receivedAtInMillis: service.clock.now().getTime(),
    });
  /** Starts the erasure and removes all data stored so far. */
  async function erase(): Promise<void> {
    const erasures = service.get(ErasureService);
    await erasures.start(accountScope(owner.user));
    await erasures.resume();
    erased.push(owner);
  }
  const isRefused = (by: { get: TestClient['get'] }) =>
    eventually(
      async () => (await by.get('/auth/who-am-i')).status,
      (status) => status === 401,
    );
  /** Any credential in the response is refused. */
  async function areRefused(answer: Answer | undefined): Promise<void> {
    const { data } = (answer?.body ?? {}) as { data?: unknown };
    const token = (data as { accessToken?: string } | undefined)?.accessToken;
    await Promise.all([
      isRefused(owner),
      isRefused(person),
      ...(typeof data === 'string' ? [isRefused(new TestClient(service.url, data, owner.user))] : []),
      ...(token === undefined ? [] : [isRefused(new SessionClient(service.url, token))]),
    ]);
  }

  const work: [string, () => PausedCall, () => PromiseLike<Answer | undefined>][] = [
    [
      'a report',
      () => pauseNextCall(service, ReportsRepository, 'apply'),
      () => owner.report(device, smsId, 'DELIVERED'),
    ],
    ['an upload', () => pauseNextCall(service, MessagesRepository, 'insertReceived'), upload],
    [
      'a send before it is stored',
      () => pauseNextCall(service, BatchesRepository, 'insert'),
      () => owner.post('/gateway/send-sms', { message: 'Hi', recipients: ['+4915112345678'] }),
    ],
    [
      'a send before it is charged',
      () => pauseNextCall(service, UsageRepository, 'reserve'),
      () => owner.post('/gateway/send-sms', { message: 'Hi', recipients: ['+4915112345678'] }),
    ],
    [
      'a send before its messages are stored',
      () => pauseNextCall(service, MessagesRepository, 'insert'),
      () => owner.post('/gateway/send-sms', { message: 'Hi', recipients: ['+4915112345678'] }),
    ],
    [
      'a send before it is accepted',
      () => pauseNextCall(service, BatchesRepository, 'accept'),
      () => owner.post('/gateway/send-sms', { message: 'Hi', recipients: ['+4915112345678'] }),
    ],
    [
      'a dispatch',
      () => pauseNextCall(service, OfferClaimsRepository, 'take'),
      () => owner.post('/gateway/send-sms', { message: 'Hi', recipients: ['+4915112345678'] }),
    ],
    [
      'a heartbeat',
      () => pauseNextCall(service, DevicesRepository, 'update'),
      () => owner.post(`/gateway/devices/${device}/heartbeat`, { batteryPercentage: 50 }),
    ],
    [
      'a registration',
      () => pauseNextCall(service, DevicesRepository, 'insert'),
      () => owner.post('/gateway/devices', { pushTransport: 'stream', serial: 'late' }),
    ],
    [
      'the creation of a key',
      () => pauseNextCall(service, ApiKeysRepository, 'insert'),
      () => person.post('/auth/api-keys', {}),
    ],
    [
      'the creation of a webhook',
      () => pauseNextCall(service, WebhookSubscriptionsRepository, 'insert'),
      () => owner.post('/webhooks', webhook(['MESSAGE_RECEIVED'])),
    ],
    [
      'the renewal of a session',
      () => pauseNextCall(service, SessionsRepository, 'touch'),
      () => {
        service.clock.advance(61_000);
        return person.get('/gateway/stats');
      },
    ],
    [
      'a sign-in',
      () => pauseNextCall(service, SessionsRepository, 'create'),
      () => visitor().post('/auth/login', { email, password: PASSWORD }),
    ],
    [
      'a change of the password',
      () => pauseNextCall(service, AccountsRepository, 'setPassword'),
      () =>
        person.post('/auth/change-password', { oldPassword: PASSWORD, newPassword: `another ${PASSWORD}` }),
    ],
    [
      'a first password',
      () => pauseNextCall(service, AccountsRepository, 'setPassword'),
      async () => {
        await service.collection('accounts').updateOne({ _id: owner.user }, { $unset: { passwordHash: 1 } });
        const client = { address: '192.0.2.1' };
        const { token } = await service
          .get(SessionsService)
          .create(accountScope(owner.user), 'sign-in-link', 1, client);
        return new SessionClient(service.url, token).post('/auth/change-password', { newPassword: PASSWORD });
      },
    ],
    [
      'a password reset',
      () => pauseNextCall(service, AccountsRepository, 'resetPassword'),
      async () => {
        const { text: otp } = await service
          .get(OneTimeCodesService)
          .issue(accountScope(owner.user), 'reset-password', email);
        return visitor().post('/auth/reset-password', { email, otp, newPassword: `another ${PASSWORD}` });
      },
    ],
    [
      'a change of the name',
      () => pauseNextCall(service, AccountsRepository, 'rename'),
      () => person.patch('/auth/update-profile', { name: 'Ada' }),
    ],
    [
      'a code that is being mailed',
      () => pauseNextCall(service, OneTimeCodesRepository, 'replace'),
      () => visitor().post('/auth/request-password-reset', { email }),
    ],
    [
      'a sign-in link',
      () => pauseNextCall(service, SignInLinksRepository, 'create'),
      async () => {
        await service.get(SignInLinksService).issue(accountScope(owner.user));
        return undefined;
      },
    ],
    [
      'a relay of events',
      () => pauseNextCall(service, DeliveriesRepository, 'insertMissing'),
      async () => {
        await owner.post('/webhooks', webhook(['MESSAGE_RECEIVED']));
        return upload();
      },
    ],
    [
      'an attempt of a webhook that will be retried',
      () => pauseNextCall(service, DeliveriesRepository, 'storeResults'),
      async () => {
        await owner.post('/webhooks', webhook(['MESSAGE_RECEIVED']));
        return upload();
      },
    ],
  ];

  describe.each(work)('%s', (_, hold, start) => {
    it.each([
      ['continues', false],
      ['dies right after it', true],
    ])('gives no access and leaves no data when the process %s', async (__, dies) => {
      const step = hold();
      const done = start();
      // If a response arrives before the step, it is the reason of the failure.
      const first = await Promise.race([step.reached.then(() => undefined), fails(done)]);
      expect(first).toBeUndefined();
      await erase();
      step.release(dies);
      const answer = await Promise.resolve(done).catch(() => undefined);
      await areRefused(answer);
      await untilErased(service, owner);
    });
  });

  it('leaves no data of the accounts erased above, and no later job recreates it', async () => {
    await erase();
    await untilErased(service, owner);
    for (const account of erased) expect(await countStoredDocuments(service, account)).toEqual({});
  });

  it('is refused or removed with many concurrent requests', async () => {
    await owner.post('/webhooks', webhook(['MESSAGE_RECEIVED', 'MESSAGE_SENT', 'MESSAGE_DELIVERED']));
    let stopped = false;
    let served = 0;
    const calls: (() => PromiseLike<{ status: number }>)[] = [
      upload,
      () => owner.post('/gateway/send-sms', { message: 'Hi', recipients: ['+4915112345678'] }),
      () => owner.report(device, smsId, 'DELIVERED'),
      () => owner.post(`/gateway/devices/${device}/heartbeat`, {}),
      () => owner.post('/gateway/devices', { pushTransport: 'stream', serial: String(served) }),
      () => person.post('/auth/api-keys', {}),
      () => visitor().post('/auth/login', { email, password: PASSWORD }),
    ];
    const clients = calls.map(async (call) => {
      while (!stopped) if ((await call()).status < 300) served += 1;
    });
    await eventually(
      () => served,
      (count) => count > 30,
    );
    await erase();
    await Promise.all([isRefused(owner), isRefused(person)]);
    stopped = true;
    await Promise.all(clients);
    await untilErased(service, owner);
  });
});

/** Resolves with what happened instead of the held step: an error response, or nothing for a minute. */
async function fails(done: PromiseLike<Answer | undefined>): Promise<unknown> {
  const answer = await done;
  if (answer?.status !== undefined && answer.status >= 300) return answer.body;
  await sleep(STEP_TIMEOUT_MS, undefined, { ref: false });
  return 'The step was not reached';
}
