import { PhoneStreamService } from '../../src/phones/streams/phone-stream.service';
import { MailServer } from '../support/mail-server';
import { TestService } from '../support/service';
import { SessionClient } from '../support/session-client';

const PASSWORD = 'correct horse battery';
const UNAUTHORIZED = { error: 'Unauthorized', code: 'AUTH_INVALID' };

describe('accounts', () => {
  let service: TestService;
  let mails: MailServer;
  let visitor: SessionClient;
  let people = 0;

  beforeAll(async () => {
    mails = await MailServer.start();
    service = await TestService.start({
      environment: {
        ALLOW_REGISTRATION: 'true',
        SMTP_URL: mails.url,
        MAIL_FROM: 'Gateway <gateway@example.com>',
      },
    });
    visitor = new SessionClient(service.url);
  });
  afterAll(async () => {
    await service.stop();
    await mails.close();
  });

  const newEmail = () => `person${++people}@example.com`;
  /** Registers, and verifies the address. */
  async function verifiedPerson(email = newEmail()): ReturnType<SessionClient['register']> {
    const ada = await visitor.register(email, PASSWORD);
    const verificationCode = await mails.codeFor(email);
    await ada.post('/auth/verify-email', { userId: ada.session.user._id, verificationCode });
    return ada;
  }
  const code = (body: unknown) => (body as { code: string }).code;

  describe('from registration to the first message', () => {
    it('registers, verifies the address, logs in and sends', async () => {
      const email = newEmail();
      const registered = await visitor.post('/auth/register', { name: ' Ada ', email, password: PASSWORD });
      expect(registered.status).toBe(201);
      const { data } = registered.body as { data: Record<string, unknown> };
      expect(Object.keys(data).sort()).toEqual(['accessToken', 'user']);
      expect(Object.keys(data.user as object).sort()).toEqual(['_id', 'email', 'name']);
      const ada = await visitor.logIn(email.toUpperCase(), PASSWORD);
      expect(ada.session.user).toMatchObject({ name: 'Ada', email });

      const send = () => ada.post('/gateway/send-sms', { message: 'Hello', recipients: ['+4915112345678'] });
      const phone = { pushTransport: 'stream', brand: 'google', model: 'Pixel 8' };
      for (const early of [await send(), await ada.post('/gateway/devices', phone)])
        expect([early.status, code(early.body)]).toEqual([400, 'EMAIL_NOT_VERIFIED']);

      const verification = { userId: ada.session.user._id, verificationCode: await mails.codeFor(email) };
      expect((await ada.post('/auth/verify-email', verification)).status).toBe(200);
      expect((await ada.post('/gateway/devices', phone)).status).toBe(201);
      expect((await send()).status).toBe(200);
      expect((await ada.post('/auth/verify-email', verification)).status).toBe(400); // used up
      const again = await ada.post('/auth/send-email-verification-email');
      expect(code(again.body)).toBe('EMAIL_ALREADY_VERIFIED');
      const me = await ada.get('/auth/who-am-i');
      expect(Object.keys((me.body as { data: object }).data).sort()).toEqual([
        '_id',
        'email',
        'emailVerifiedAt',
        'name',
      ]);
    });

    it('creates one account per address, even with concurrent registrations', async () => {
      const email = newEmail();
      const register = () => visitor.post('/auth/register', { name: 'Ada', email, password: PASSWORD });
      const answers = await Promise.all([register(), register()]);
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
      expect(answers.map(({ body }) => code(body))).toContain('EMAIL_TAKEN');
    });

    it('refuses registration where it is closed', async () => {
      const closed = await TestService.start({ shared: service });
      const answer = await new SessionClient(closed.url).post('/auth/register', {
        name: 'Ada',
        email: newEmail(),
        password: PASSWORD,
      });
      expect([answer.status, code(answer.body)]).toEqual([400, 'REGISTRATION_CLOSED']);
      await closed.stop();
    });

    it('stores neither the password nor the code', async () => {
      const email = newEmail();
      await visitor.register(email, PASSWORD);
      const mailed = await mails.codeFor(email);
      const stored = await Promise.all(
        ['accounts', 'onetimecodes'].map((name) => service.collection(name).find().toArray()),
      );
      expect(JSON.stringify(stored)).not.toContain(PASSWORD);
      expect(JSON.stringify(stored)).not.toContain(mailed);
    });
  });

  describe('session tokens and API keys', () => {
    it('give access to the same endpoints', async () => {
      const ada = await verifiedPerson();
      const made = await ada.post('/auth/api-keys', { name: 'One' });
      const key = (made.body as { data: string }).data;
      for (const path of ['/gateway/stats', '/gateway/devices', '/auth/who-am-i', '/auth/api-keys']) {
        const byToken = await ada.get(path);
        const byKey = await visitor.get(path).set('x-api-key', key);
        expect(byToken.status).toBe(200);
        const withoutUse = (text: string) => text.replace(/,"lastUsed(At|From)":"[^"]*"/g, '');
        expect(withoutUse(byKey.text)).toBe(withoutUse(byToken.text));
      }
    });

    it('a password change ends older sessions in every process and returns a valid token', async () => {
      const email = newEmail();
      const ada = await visitor.register(email, PASSWORD);
      const other = await TestService.start({ shared: service });
      const elsewhere = new SessionClient(other.url, ada.accessToken);
      expect((await elsewhere.get('/gateway/stats')).status).toBe(200);
      const wrong = await ada.post('/auth/change-password', {
        oldPassword: 'no',
        newPassword: 'another one',
      });
      expect([wrong.status, code(wrong.body)]).toEqual([400, 'WRONG_PASSWORD']);
      const change = { oldPassword: PASSWORD, newPassword: 'another one' };
      const changed = await ada.post('/auth/change-password', change);
      expect(changed.status).toBe(200);
      expect((await elsewhere.get('/gateway/stats')).body).toEqual(UNAUTHORIZED);
      const { accessToken } = (changed.body as { data: { accessToken: string } }).data;
      expect((await new SessionClient(service.url, accessToken).get('/gateway/stats')).status).toBe(200);
      expect((await visitor.post('/auth/login', { email, password: PASSWORD })).status).toBe(401);
      await visitor.logIn(email, 'another one');
      await other.stop();
    });
  });

  it('closes the stream of a session when the session ends', async () => {
    const ada = await verifiedPerson();
    const device = await ada.post('/gateway/devices', { pushTransport: 'stream', serial: 'one' });
    const { _id } = (device.body as { data: { _id: string } }).data;
    const stream = await fetch(`${service.url}/api/v1/gateway/devices/${_id}/stream`, {
      headers: { authorization: `Bearer ${ada.accessToken ?? ''}` },
    });
    expect(stream.status).toBe(200);
    let isOpen = true;
    const ended = stream.text().then(() => (isOpen = false));
    await service.get(PhoneStreamService).keepAlive();
    expect(isOpen).toBe(true);
    await ada.post('/auth/change-password', { oldPassword: PASSWORD, newPassword: 'another one' });
    await service.get(PhoneStreamService).keepAlive(); // what runs every 15 s
    await ended;
  });

  describe('logging in', () => {
    it('does not reveal whether the account exists or has a password', async () => {
      const email = newEmail();
      await visitor.register(email, PASSWORD);
      const bare = await service.newAccount(); // has no password
      for (const known of [email, `${bare.user.toHexString()}@example.com`, newEmail()]) {
        const answer = await visitor.post('/auth/login', { email: known, password: 'wrong password' });
        expect([answer.status, answer.body]).toEqual([401, UNAUTHORIZED]);
      }
    });

    it('limits wrong guesses, and no other address or account', async () => {
      const [email, bystander] = [newEmail(), newEmail()];
      await visitor.register(email, PASSWORD);
      await visitor.register(bystander, PASSWORD);
      const guess = () => visitor.post('/auth/login', { email, password: 'wrong password' });
      const answers = await Promise.all(Array.from({ length: 14 }, guess));
      expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
      const slowed = await visitor.post('/auth/login', { email, password: PASSWORD });
      expect([slowed.status, code(slowed.body)]).toEqual([429, 'TOO_MANY_ATTEMPTS']);
      expect(Number(slowed.headers['retry-after'])).toBeGreaterThan(800);
      await visitor.logIn(bystander, PASSWORD);
    });

    it('does not count successful attempts', async () => {
      const email = newEmail();
      await visitor.register(email, PASSWORD);
      for (let time = 0; time < 12; time++) await visitor.logIn(email, PASSWORD);
    });
  });

  describe('a password reset', () => {
    const requestReset = async (email: string): Promise<string> => {
      const before = mails.mailsTo(email, 'Reset').length;
      await visitor.post('/auth/request-password-reset', { email });
      return mails.codeFor(email, 'Reset', before);
    };
    const reset = (email: string, otp: string, newPassword = 'the new password') =>
      visitor.post('/auth/reset-password', { email, otp, newPassword });

    it('does not reveal whether the address has an account', async () => {
      const email = newEmail();
      await visitor.register(email, PASSWORD);
      const known = await visitor.post('/auth/request-password-reset', { email });
      const unknown = await visitor.post('/auth/request-password-reset', { email: newEmail() });
      expect([known.status, known.text]).toEqual([unknown.status, unknown.text]);
    });

    it('sets the first password of an account and verifies its address', async () => {
      const bare = await service.newAccount();
      const email = `${bare.user.toHexString()}@example.com`;
      await service.collection('accounts').updateOne({ email }, { $unset: { emailVerifiedAt: 1 } });
      expect((await reset(email, await requestReset(email))).status).toBe(200);
      const { session } = await visitor.logIn(email, 'the new password');
      expect(session.user.emailVerifiedAt).toBeDefined();
    });

    it('ends all sessions; the code is valid once, even with concurrent requests', async () => {
      const email = newEmail();
      const ada = await visitor.register(email, PASSWORD);
      const otp = await requestReset(email);
      const answers = await Promise.all([reset(email, otp), reset(email, otp)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
      expect((await ada.get('/gateway/stats')).status).toBe(401);
    });

    it('accepts a code for 15 minutes, only for its account and purpose', async () => {
      const [email, other] = [newEmail(), newEmail()];
      await visitor.register(email, PASSWORD);
      await visitor.register(other, PASSWORD);
      const verification = await mails.codeFor(email);
      const otp = await requestReset(email);
      const foreign = await requestReset(other);
      for (const wrong of [verification, foreign]) {
        const refused = await reset(email, wrong);
        expect([refused.status, code(refused.body)]).toEqual([400, 'CODE_INVALID']);
      }
      service.clock.advance(16 * 60_000);
      expect(code((await reset(email, otp)).body)).toBe('CODE_INVALID');
      expect((await reset(email, await requestReset(email))).status).toBe(200);
    });

    it('allows five tries per address, even concurrent ones; wrong codes from other addresses do not count', async () => {
      const email = newEmail();
      const proxied = await TestService.start({ shared: service, environment: { TRUST_PROXY: '1' } });
      const resetFrom = (address: string, otp: string) =>
        new SessionClient(proxied.url)
          .post('/auth/reset-password', { email, otp, newPassword: 'the new password' })
          .set('x-forwarded-for', address);
      await visitor.register(email, PASSWORD);
      const otp = await requestReset(email);
      const wrong = otp.startsWith('0') ? '11111-11111' : '00000-00000';
      const guess = async (address: string) => (await resetFrom(address, wrong)).status;
      const here = await Promise.all(Array.from({ length: 8 }, () => guess('192.0.2.1')));
      expect(here.filter((status) => status === 400)).toHaveLength(5);
      const slowed = await resetFrom('192.0.2.1', otp);
      expect([slowed.status, code(slowed.body)]).toEqual([429, 'TOO_MANY_ATTEMPTS']);
      const near = await Promise.all(Array.from({ length: 8 }, (_, i) => guess(`2001:db8:1:2::${i}`)));
      expect(near.filter((status) => status === 400)).toHaveLength(5);
      await Promise.all(Array.from({ length: 60 }, (_, i) => guess(`198.51.100.${i}`)));
      expect((await resetFrom('203.0.113.1', otp)).status).toBe(200);
      await proxied.stop();
    });

    it('allows 100,000 tries of a code in total', async () => {
      const email = newEmail();
      await visitor.register(email, PASSWORD);
      const otp = await requestReset(email);
      const codes = service.collection('onetimecodes');
      await codes.updateOne({ email, _id: /reset-password$/ }, { $set: { tries: 100_000 } });
      expect(code((await reset(email, otp)).body)).toBe('CODE_INVALID');
    });

    it('accepts a code in any case, with spaces and lookalike letters', async () => {
      const email = newEmail();
      await visitor.register(email, PASSWORD);
      const otp = await requestReset(email);
      expect(otp).toMatch(/^[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}$/);
      const typed = ` ${otp.toLowerCase().replace('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')} `;
      expect((await reset(email, typed)).status).toBe(200);
    });

    it.each([true, false])('revokes the API keys only on request: %s', async (revokeApiKeys) => {
      const ada = await verifiedPerson();
      const { email } = ada.session.user;
      const key = ((await ada.post('/auth/api-keys')).body as { data: string }).data;
      const otp = await requestReset(email);
      const body = { email, otp, newPassword: 'the new password', revokeApiKeys };
      expect((await visitor.post('/auth/reset-password', body)).status).toBe(200);
      const byKey = await visitor.get('/gateway/stats').set('x-api-key', key);
      expect(byKey.status).toBe(revokeApiKeys ? 401 : 200);
      expect((await ada.get('/gateway/stats')).status).toBe(401);
    });

    it('limits the number of mails', async () => {
      const email = newEmail();
      const requestMail = () => visitor.post('/auth/request-password-reset', { email });
      const answers = await Promise.all(Array.from({ length: 6 }, requestMail));
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(1);
    });
  });

  describe('invalid input is refused with the name of the field, and nothing is stored', () => {
    const good = { name: 'Ada', email: 'ada@example.com', password: PASSWORD };
    it.each<[string, object, string]>([
      ['/auth/register', { ...good, email: 'ada' }, 'email'],
      ['/auth/register', { ...good, email: { $ne: '' } }, 'email'],
      ['/auth/register', { ...good, password: 'short' }, 'password'],
      ['/auth/register', { ...good, password: 'x'.repeat(129) }, 'password'],
      ['/auth/register', { ...good, name: ' ' }, 'name'],
      ['/auth/register', {}, 'name'],
      ['/auth/login', { email: 'ada@example.com' }, 'password'],
      ['/auth/login', { email: 'ada@example.com', password: { $ne: '' } }, 'password'],
      ['/auth/verify-email', { userId: 'x', verificationCode: '1' }, 'userId'],
      ['/auth/verify-email', { userId: '665f1c2ab7e1d4a9c0f3e812' }, 'verificationCode'],
      ['/auth/request-password-reset', { email: ['a@example.com', 'b@example.com'] }, 'email'],
      ['/auth/reset-password', { email: 'ada@example.com', otp: '1', newPassword: 'short' }, 'newPassword'],
      ['/auth/reset-password', { email: 'ada@example.com', newPassword: PASSWORD }, 'otp'],
    ])('%s %j', async (path, body, field) => {
      const before = await service.collection('accounts').countDocuments();
      const answer = await visitor.post(path, body);
      expect(answer.status).toBe(400);
      const { details } = answer.body as { details: { field: string }[] };
      expect(details.map((detail) => detail.field)).toContain(field);
      expect(await service.collection('accounts').countDocuments()).toBe(before);
    });

    it.each(['/auth/change-password', '/auth/send-email-verification-email', '/auth/api-keys'])(
      '%s refuses unauthenticated requests',
      async (path) => {
        const answer = await visitor.post(path, { name: 5 });
        expect([answer.status, answer.body]).toEqual([401, UNAUTHORIZED]);
      },
    );
  });
});
