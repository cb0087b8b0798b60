import { accountScope } from '../../src/auth/account-scope';
import { AnonymousRequestLimiter } from '../../src/auth/limits/anonymous-request-limiter.service';
import { TooManyAttempts, TooManyConcurrentRequests } from '../../src/auth/limits/limit.errors';
import { ConcurrencyLimiter } from '../../src/auth/limits/concurrency-limiter.service';
import { AccountsRepository } from '../../src/auth/accounts/accounts.repository';
import { AuthAttemptLimiter } from '../../src/auth/limits/auth-attempt-limiter.service';
import { PasswordHasher } from '../../src/auth/passwords/password-hasher.service';
import { buildDocument } from '../../src/openapi/openapi';
import { MailServer } from '../support/mail-server';
import { TestClient } from '../support/client';
import { TestService } from '../support/service';
import { ApiDocument } from './api-document';
import { ContractClient, provokeCommonErrors } from './contract-client';
import { ACCOUNT, PAIRING } from './operations';

const PASSWORD = 'correct horse battery';
const OTHER_PASSWORD = 'staple battery horse';

interface Session {
  accessToken: string;
  user: { _id: string; email: string };
}

describe('account operations match the API document', () => {
  let mails: MailServer;
  let service: TestService;
  let document: ApiDocument;
  let client: ContractClient;

  beforeAll(async () => {
    mails = await MailServer.start();
    service = await TestService.start({
      environment: { ALLOW_REGISTRATION: 'true', SMTP_URL: mails.url, MAIL_FROM: 'gateway@example.com' },
    });
    document = new ApiDocument(buildDocument(service.app));
    const owner = await service.newAccount();
    client = new ContractClient(document, owner, (await service.signIn(owner)).accessToken);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  afterAll(async () => {
    await service.stop();
    await mails.close();
  });

  it('from registration to a password change', async () => {
    const email = 'ada@example.com';
    const registered = await client.data<Session>(
      'registerAccount',
      { body: { name: 'Ada', email, password: PASSWORD } },
      201,
    );
    await client.call('registerAccount', '400 EMAIL_TAKEN', {
      body: { name: 'Ada', email, password: PASSWORD },
    });
    await client.call('registerAccount', '400 VALIDATION_FAILED', { body: { email } });
    const { accessToken, user } = await client.data<Session>('logIn', {
      body: { email, password: PASSWORD },
    });
    expect(user).toEqual(registered.user);
    await client.call('logIn', '400 VALIDATION_FAILED', { body: { email } });
    await client.call('signIn', '201', { body: { email, password: PASSWORD } });
    await client.call('signIn', '400 VALIDATION_FAILED', { body: { email } });
    await client.call('signIn', '400 SIGN_IN_LINK_INVALID', { body: { token: 'mgl_used' } });
    const form = { origin: new URL(service.url).origin, 'content-type': 'text/plain' };
    await client.call('signIn', '400 CSRF_CHECK_FAILED', { headers: form, body: '{"token":"any"}' });

    const headers = { authorization: `Bearer ${accessToken}` };
    expect(await client.data('whoAmI', { headers })).toEqual(user);
    const verificationCode = await mails.codeFor(email);
    await client.call('verifyEmail', '400 CODE_INVALID', {
      body: { userId: user._id, verificationCode: '00000000x' },
    });
    await client.call('verifyEmail', '400 VALIDATION_FAILED', { body: { userId: 'x', verificationCode } });
    const verification = { userId: user._id, verificationCode };
    const cookie = { cookie: 'mgw_session=any', origin: 'https://elsewhere.example' };
    await client.call('verifyEmail', '400 CSRF_CHECK_FAILED', {
      headers: { ...cookie, authorization: 'Basic none' },
      body: verification,
    });
    await client.call('createApiKey', '400 EMAIL_NOT_VERIFIED', { headers, body: {} });
    await client.call('createPairingCode', '400 EMAIL_NOT_VERIFIED', { headers, body: {} });
    await client.call('verifyEmail', '200', { headers, body: verification });
    await client.call('sendVerificationEmail', '400 EMAIL_ALREADY_VERIFIED', { headers });

    const update = { name: 'Ada L.', email: 'ada.l@example.com', password: PASSWORD };
    await client.call('updateProfile', '400 WRONG_PASSWORD', {
      headers,
      body: { ...update, password: 'wrong' },
    });
    const taken = { ...update, email: `${client.account.user.toHexString()}@example.com` };
    await client.call('updateProfile', '400 EMAIL_TAKEN', { headers, body: taken });
    await client.call('updateProfile', '400 VALIDATION_FAILED', { headers, body: { email: 'nowhere' } });
    const confirmation = async (address: string) => {
      await client.call('updateProfile', '200', { headers, body: { ...update, email: address } });
      return { userId: user._id, verificationCode: await mails.codeFor(address, 'Confirm') };
    };
    const late = await confirmation('bob@example.com');
    await client.call('verifyEmail', '400 SESSION_REQUIRED', { body: late });
    const bob = { name: 'Bob', email: 'bob@example.com', password: PASSWORD };
    const { accessToken: bobs } = await client.data<Session>('registerAccount', { body: bob }, 201);
    await client.call('verifyEmail', '400 EMAIL_TAKEN', { headers, body: late });
    await client.call('sendVerificationEmail', '200', { headers: { authorization: `Bearer ${bobs}` } });
    await client.call('verifyEmail', '200', { headers, body: await confirmation(update.email) });

    const change = { oldPassword: PASSWORD, newPassword: OTHER_PASSWORD };
    await client.call('changePassword', '400 WRONG_PASSWORD', {
      headers,
      body: { ...change, oldPassword: 'wrong' },
    });
    await client.call('changePassword', '400 VALIDATION_FAILED', {
      headers,
      body: { oldPassword: PASSWORD, newPassword: 'short' },
    });
    await client.call('changePassword', '200', { headers, body: change });

    const now = 'ada.l@example.com';
    await client.call('requestPasswordReset', '400 VALIDATION_FAILED', { body: {} });
    await client.call('requestPasswordReset', '200', { body: { email: now } });
    const otp = await mails.codeFor(now, 'Reset');
    const reset = { email: now, otp, newPassword: PASSWORD };
    await client.call('resetPassword', '400 CODE_INVALID', { body: { ...reset, otp: '00000000x' } });
    await client.call('resetPassword', '400 VALIDATION_FAILED', { body: { email: now } });
    await client.call('resetPassword', '200', { body: reset });
  });

  it('sessions', async () => {
    const { accountHasPassword, ...session } = await client.data<{
      _id: string;
      current: boolean;
      accountHasPassword: boolean;
    }>('getSession');
    expect(accountHasPassword).toBe(false);
    expect(await client.data('listSessions')).toEqual([session]);
    for (const id of ['signOut', 'logOut']) {
      const { accessToken } = await service.signIn(client.account);
      await client.call(id, '200', { headers: { authorization: `Bearer ${accessToken ?? ''}` } });
    }
    const { accessToken } = await service.signIn(client.account);
    const headers = { authorization: `Bearer ${accessToken ?? ''}` };
    const { _id } = await client.data<{ _id: string }>('getSession', { headers });
    await client.call('revokeSession', '200', { path: { id: _id } });
    await client.call('getSession', '401 AUTH_INVALID', { headers });
    const other = await service.signIn(await service.newAccount());
    const others = { authorization: `Bearer ${other.accessToken ?? ''}` };
    await client.call('signOutEverywhere', '200', { headers: others });
    await client.call('getSession', '401 AUTH_INVALID', { headers: others });
  });

  it('what the owner is told', async () => {
    const settings = {
      mail: true,
      phoneOffline: true,
      phoneBack: false,
      simUnhealthy: true,
      webhookPaused: true,
      planNearlyUsed: true,
      offlineAfterMinutes: 30,
    };
    await client.call('setNotices', '400 VALIDATION_FAILED', { body: { ...settings, phoneBack: 'no' } });
    const withKey = new ContractClient(document, client.account);
    await withKey.call('setNotices', '400 SESSION_REQUIRED', { body: settings });
    const stored = await client.data('setNotices', { body: settings });
    expect(stored).toEqual({ ...settings, mailState: 'on' });
    await service
      .collection('accountnotices')
      .updateOne({ _id: client.account.user }, { $set: { lastMail: { at: new Date(), result: 'sent' } } });
    await client.data('getNotices');
  });

  it('closed registration', async () => {
    const closed = await TestService.start({ shared: service, environment: { ALLOW_REGISTRATION: 'false' } });
    const there = new ContractClient(document, client.account.at(closed.url));
    const body = { name: 'Eve', email: 'eve@example.com', password: PASSWORD };
    await there.call('registerAccount', '400 REGISTRATION_CLOSED', { body });
    await closed.stop();
  });

  it('API keys', async () => {
    const { body } = await client.call('createApiKey', '201', { body: { name: 'Phone' } });
    expect(body).toMatchObject({ data: expect.stringMatching(/^mgw_\w{32}$/) as string });
    await client.call('createApiKey', '400 VALIDATION_FAILED', { body: { name: 'x'.repeat(65) } });
    const keys = await client.data<{ _id: string; name: string }[]>('listApiKeys');
    const path = { id: keys.find(({ name }) => name === 'Phone')?._id ?? '' };
    await client.call('listApiKeys', '400 VALIDATION_FAILED', { query: { status: 'odd' } });
    await client.call('renameApiKey', '200', { path, body: { name: 'Office' } });
    await client.call('deleteApiKey', '400 API_KEY_ACTIVE', { path });
    await client.call('revokeApiKey', '200', { path });
    await client.call('deleteApiKey', '200', { path });
    const account = await service.newAccount();
    const person = await service.signIn(account);
    const full = new ContractClient(document, account, person.accessToken);
    const unknown = { kind: 'phone', deviceId: '665f1c2ab7e1d4a9c0f3e812' };
    await full.call('createApiKey', '404 DEVICE_NOT_FOUND', { body: unknown });
    for (let made = 1; made < 100; made++) await person.post('/auth/api-keys', { name: 'One more' });
    await full.call('createApiKey', '400 TOO_MANY_API_KEYS', { body: {} });
  });

  it('pairing codes', async () => {
    const account = await service.newAccount();
    const { accessToken } = await service.signIn(account);
    const owner = new ContractClient(document, account, accessToken);
    const { id, code } = await owner.data<{ id: string; code: string }>(
      'createPairingCode',
      { body: {} },
      201,
    );
    const replaces = { replaces: '665f1c2ab7e1d4a9c0f3e812' };
    await owner.call('createPairingCode', '404 DEVICE_NOT_FOUND', { body: replaces });
    await owner.call('createPairingCode', '400 VALIDATION_FAILED', { body: { replaces: 'odd' } });
    const phone = { headers: { 'x-api-key': 'none is needed' } };
    await owner.call('redeemPairingCode', '400 VALIDATION_FAILED', { ...phone, body: { code: '' } });
    await owner.call('redeemPairingCode', '400 MALFORMED_BODY', { ...phone, body: '{"code": ' });
    const large = { text: 'x'.repeat(2_200_000) };
    await owner.call('redeemPairingCode', '400 BODY_TOO_LARGE', { ...phone, body: large });
    const { apiKey } = await owner.data<{ apiKey: string }>(
      'redeemPairingCode',
      { ...phone, body: { code } },
      201,
    );
    await owner.call('redeemPairingCode', '401 PAIRING_CODE_INVALID', {
      ...phone,
      body: { code, name: 'Another' },
    });
    expect(await owner.data('getPairingCode', { path: { id } })).toEqual({
      expiresAt: expect.any(String) as string,
    });
    const device = await new TestClient(service.url, apiKey, account.user).registerDevice();
    expect(await owner.data('getPairingCode', { path: { id } })).toMatchObject({ device });

    const next = await owner.data<{ code: string }>('createPairingCode', { body: {} }, 201);
    const person = await service.signIn(account);
    for (let made = 2; made < 100; made++) await person.post('/auth/api-keys', { name: 'One more' });
    await owner.call('redeemPairingCode', '400 TOO_MANY_API_KEYS', { ...phone, body: { code: next.code } });
  });

  it('the deletion of an account', async () => {
    const account = await service.newAccount();
    const { accessToken } = await service.signIn(account);
    await new ContractClient(document, account, accessToken).call('deleteAccount', '400 WRONG_PASSWORD', {
      body: { password: PASSWORD },
    });
    const passwordHash = await service.get(PasswordHasher).hash(PASSWORD);
    await service
      .get(AccountsRepository)
      .setPassword(accountScope(account.user), passwordHash, null, new Date());
    const person = await service.signIn(account);
    const owner = new ContractClient(document, account, person.accessToken);
    await owner.call('deleteAccount', '400 VALIDATION_FAILED', { body: { password: '' } });
    expect(await owner.data('deleteAccount', { body: { password: PASSWORD } })).toEqual({ success: true });
  });

  it('the export of an account', async () => {
    const { body } = await client.call('exportAccount', '200');
    expect(body).toMatch(/\n\{"type":"end","data":\{"records":\d+\}\}\n$/);
    const release = service
      .get(ConcurrencyLimiter)
      .acquire(accountScope(client.account.user), 'accountExports');
    await client.call('exportAccount', '429 CONCURRENCY_LIMITED');
    release();
  });

  it('plans and the current subscription', async () => {
    expect((await client.data<unknown[]>('listPlans')).length).toBe(3);
    await client.call('getCurrentSubscription', '200');
  });

  it('rate limits of guesses', async () => {
    jest.spyOn(service.get(AuthAttemptLimiter), 'count').mockRejectedValue(new TooManyAttempts(60));
    const guesses: [id: string, body?: object][] = [
      ['registerAccount', { name: 'Eve', email: 'eve@example.com', password: PASSWORD }],
      ['logIn', { email: 'eve@example.com', password: PASSWORD }],
      ['signIn', { email: 'eve@example.com', password: PASSWORD }],
      ['updateProfile', { email: 'eve@example.com' }],
      ['changePassword', { oldPassword: PASSWORD, newPassword: OTHER_PASSWORD }],
      ['sendVerificationEmail'],
      ['verifyEmail', { userId: client.account.user.toHexString(), verificationCode: '12345678' }],
      ['requestPasswordReset', { email: 'eve@example.com' }],
      ['deleteAccount', { password: PASSWORD }],
      ['redeemPairingCode', { code: '0000000000' }],
      ['resetPassword', { email: 'eve@example.com', otp: '12345678', newPassword: PASSWORD }],
    ];
    await service
      .collection('accounts')
      .updateOne({ _id: client.account.user }, { $unset: { emailVerifiedAt: 1 } });
    for (const [id, body] of guesses) await client.call(id, '429 TOO_MANY_ATTEMPTS', body ? { body } : {});

    const crowded = jest.spyOn(service.get(AnonymousRequestLimiter), 'acquire').mockImplementation(() => {
      throw new TooManyConcurrentRequests();
    });
    const isPublic = (id: string) => document.documents(id, 429, 'TOO_MANY_CONCURRENT_REQUESTS');
    for (const [id, body] of guesses.filter(([each]) => isPublic(each)))
      await client.call(id, '429 TOO_MANY_CONCURRENT_REQUESTS', { body });
    crowded.mockRestore();
  });

  it('common errors', async () => {
    const codes = PAIRING.filter((id) => id !== 'redeemPairingCode');
    await provokeCommonErrors(document, client, [...ACCOUNT, ...codes]);
  });

  it('cover every response in the API document', () => {
    expect(document.unseenOf([...ACCOUNT, ...PAIRING])).toEqual([]);
  });
});
