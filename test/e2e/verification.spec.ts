import { Types } from 'mongoose';
import { accountScope } from '../../src/auth/account-scope';
import { AccountsRepository } from '../../src/auth/accounts/accounts.repository';
import { UnverifiedAccountsScheduler } from '../../src/auth/accounts/unverified-accounts.scheduler';
import { eventually } from '../support/eventually';
import { pauseNextCall } from '../support/pause-next-call';
import { MailServer } from '../support/mail-server';
import { TestService } from '../support/service';
import { type SessionJson, SessionClient } from '../support/session-client';

const PASSWORD = 'correct horse battery';
const HOUR_MS = 3_600_000;

type Person = SessionClient & { session: SessionJson };

describe('e-mail addresses', () => {
  let service: TestService;
  let mails: MailServer;
  let visitor: SessionClient;
  let people = 0;

  beforeAll(async () => {
    mails = await MailServer.start();
    service = await TestService.start({
      environment: { ALLOW_REGISTRATION: 'true', SMTP_URL: mails.url, MAIL_FROM: 'gateway@example.com' },
    });
    visitor = new SessionClient(service.url);
  });
  afterAll(async () => {
    await service.stop();
    await mails.close();
  });

  const newEmail = () => `verified${++people}@example.com`;
  const code = (body: unknown) => (body as { code?: string }).code;
  const accounts = () => service.collection('accounts');
  const verify = (by: SessionClient, person: Person, verificationCode: string) =>
    by.post('/auth/verify-email', { userId: person.session.user._id, verificationCode });
  const profileOf = async (person: SessionClient) =>
    ((await person.get('/auth/who-am-i')).body as { data: Record<string, unknown> }).data;

  async function verifiedPerson(): Promise<Person> {
    const email = newEmail();
    const ada = await visitor.register(email, PASSWORD);
    expect((await verify(ada, ada, await mails.codeFor(email))).status).toBe(200);
    return ada;
  }

  describe('before the first verification', () => {
    it.each([
      ['/auth/api-keys', {}],
      ['/gateway/devices', { pushTransport: 'stream', serial: 'one' }],
      [
        '/webhooks',
        { deliveryUrl: 'https://example.com', signingSecret: 'x'.repeat(20), events: ['MESSAGE_SENT'] },
      ],
    ])('refuses to create what would outlive the account: POST %s', async (path, body) => {
      const email = newEmail();
      const ada = await visitor.register(email, PASSWORD);
      const early = await ada.post(path, body);
      expect([early.status, code(early.body)]).toEqual([400, 'EMAIL_NOT_VERIFIED']);
      await verify(ada, ada, await mails.codeFor(email));
      expect((await ada.post(path, body)).status).toBe(201);
    });

    it('removes the account after a day and releases its address', async () => {
      const email = newEmail();
      const ada = await visitor.register(email, PASSWORD);
      const kept = await verifiedPerson();
      const sweep = () => service.get(UnverifiedAccountsScheduler).sweep();
      service.clock.advance(23 * HOUR_MS);
      await sweep();
      expect(await accounts().countDocuments({ email })).toBe(1);
      service.clock.advance(2 * HOUR_MS);
      await sweep();
      expect(await accounts().countDocuments({ email })).toBe(0);
      expect((await ada.get('/gateway/stats')).status).toBe(401);
      expect((await kept.get('/gateway/stats')).status).toBe(200);
      await visitor.register(email, PASSWORD);
    });

    it.each([
      ['has no deadline', { $unset: { unverifiedUntil: 1 } }],
      ['was verified', { $set: { firstVerifiedAt: new Date() } }],
    ])('keeps an account that %s', async (_, change) => {
      const email = newEmail();
      await visitor.register(email, PASSWORD);
      await accounts().updateOne({ email }, change);
      await service.get(AccountsRepository).removeUnverified(new Date(Date.now() + 400 * 24 * HOUR_MS));
      expect(await accounts().countDocuments({ email })).toBe(1);
    });

    it.each([
      ['verification', 'markVerified'],
      ['password reset', 'resetPassword'],
    ] as const)('refuses a %s just after the removal and creates no account', async (_, write) => {
      const email = newEmail();
      const ada = await visitor.register(email, PASSWORD);
      const verificationCode = await mails.codeFor(email);
      if (write === 'resetPassword') await visitor.post('/auth/request-password-reset', { email });
      const otp = write === 'resetPassword' ? await mails.codeFor(email, 'Reset') : '';
      const step = pauseNextCall(service, AccountsRepository, write);
      const late =
        write === 'markVerified'
          ? verify(ada, ada, verificationCode)
          : visitor.post('/auth/reset-password', { email, otp, newPassword: 'the new password' });
      const answer = late.then(({ status, body }) => [status, code(body)]);
      await step.reached;
      service.clock.advance(25 * HOUR_MS);
      await service.get(UnverifiedAccountsScheduler).sweep();
      step.release(false);
      expect(await answer).toEqual([400, 'CODE_INVALID']);
      expect(await accounts().countDocuments({ _id: new Types.ObjectId(ada.session.user._id) })).toBe(0);
      expect((await ada.get('/gateway/stats')).status).toBe(401);
    });

    it('lets either the verification or the removal win if they are concurrent', async () => {
      const repository = service.get(AccountsRepository);
      const now = service.clock.now();
      for (let round = 0; round < 20; round++) {
        const account = { _id: new Types.ObjectId(), email: newEmail(), name: 'Ada', createdAt: now };
        await repository.create({ ...account, unverifiedUntil: now, updatedAt: now });
        const [isVerified] = await Promise.all([
          repository.markVerified(accountScope(account._id), account.email, now),
          repository.removeUnverified(now),
        ]);
        const left = await accounts().findOne({ _id: account._id });
        expect(left !== null).toBe(isVerified);
        expect(left?.emailVerifiedAt !== undefined).toBe(isVerified);
      }
    });
  });

  describe('the first verification', () => {
    it.each(['that registered', 'of a later sign-in with the password'])(
      'in the session %s keeps the password and the session',
      async (which) => {
        const email = newEmail();
        const registered = await visitor.register(email, PASSWORD);
        const ada = which === 'that registered' ? registered : await visitor.logIn(email, PASSWORD);
        expect((await verify(ada, registered, await mails.codeFor(email))).status).toBe(200);
        expect(await profileOf(ada)).toHaveProperty('emailVerifiedAt');
        await visitor.logIn(email, PASSWORD);
        expect(await accounts().findOne({ email })).not.toHaveProperty('unverifiedUntil');
      },
    );

    it.each(['no session', 'a session of another account'])(
      'in %s removes the password and ends the sessions; the owner sets a new password by reset',
      async (which) => {
        const email = newEmail();
        const eve = await visitor.register(email, PASSWORD); // not the owner of the address
        const by = which === 'no session' ? visitor : await verifiedPerson();
        expect((await verify(by, eve, await mails.codeFor(email))).status).toBe(200);
        expect((await eve.get('/gateway/stats')).status).toBe(401);
        expect((await visitor.post('/auth/login', { email, password: PASSWORD })).status).toBe(401);
        await visitor.post('/auth/request-password-reset', { email });
        const otp = await mails.codeFor(email, 'Reset');
        const reset = { email, otp, newPassword: 'the owner’s own password' };
        expect((await visitor.post('/auth/reset-password', reset)).status).toBe(200);
        const owner = await visitor.logIn(email, 'the owner’s own password');
        expect(await profileOf(owner)).toHaveProperty('emailVerifiedAt');
      },
    );

    it('refuses the code of another account', async () => {
      const [one, two] = [newEmail(), newEmail()];
      const ada = await visitor.register(one, PASSWORD);
      await visitor.register(two, PASSWORD);
      const verificationCode = await mails.codeFor(two);
      const foreign = await verify(visitor, ada, verificationCode);
      const nobody = { userId: '665f1c2ab7e1d4a9c0f3e812', verificationCode };
      expect(foreign.status).toBe(400);
      expect((await visitor.post('/auth/verify-email', nobody)).text).toBe(foreign.text);
    });
  });

  describe('a change of address', () => {
    const change = (person: SessionClient, email: string, password: string | undefined = PASSWORD) =>
      person.patch('/auth/update-profile', { email, password });

    it('takes effect when it is confirmed; until then the old address stays verified', async () => {
      const ada = await verifiedPerson();
      const [former, email] = [ada.session.user.email, newEmail()];
      const changed = await change(ada, email);
      expect((changed.body as { data: object }).data).toMatchObject({ email: former, pendingEmail: email });
      expect(await profileOf(ada)).toMatchObject({
        email: former,
        emailVerifiedAt: expect.any(String) as string,
      });
      await visitor.logIn(former, PASSWORD);
      const mailsAbout = (subject: string) =>
        eventually(
          () => mails.mailsTo(former, subject),
          ([mail]) => mail?.text.includes(email) ?? false,
        );
      await mailsAbout('A new e-mail address was requested');
      const confirmation = await mails.codeFor(email, 'Confirm');
      expect((await verify(ada, ada, confirmation)).status).toBe(200);
      expect(await profileOf(ada)).toMatchObject({ email, emailVerifiedAt: expect.any(String) as string });
      await mailsAbout('Your e-mail address was changed');
      expect((await visitor.post('/auth/login', { email: former, password: PASSWORD })).status).toBe(401);
      await visitor.logIn(email, PASSWORD);
      expect(code((await verify(ada, ada, confirmation)).body)).toBe('CODE_INVALID');
    });

    it('requires the password and a session', async () => {
      const ada = await verifiedPerson();
      for (const password of [undefined, 'wrong password']) {
        const answer = await ada.patch('/auth/update-profile', { email: newEmail(), password });
        expect([answer.status, code(answer.body)]).toEqual([400, 'WRONG_PASSWORD']);
      }
      const client = await service.newAccount();
      expect(code((await client.patch('/auth/update-profile', { name: 'Eve' })).body)).toBe(
        'SESSION_REQUIRED',
      );
      expect((await ada.patch('/auth/update-profile', { name: 'Countess' })).status).toBe(200);
    });

    it('is not confirmed without a session of the account', async () => {
      const eve = await verifiedPerson();
      const email = newEmail();
      await change(eve, email);
      const confirmation = await mails.codeFor(email, 'Confirm');
      for (const by of [visitor, await verifiedPerson()])
        expect(code((await verify(by, eve, confirmation)).body)).toBe('SESSION_REQUIRED');
      expect((await verify(eve, eve, confirmation)).status).toBe(200);
    });

    it('never takes the address of another account, even if that account registers in between', async () => {
      const [ada, bob] = [await verifiedPerson(), await verifiedPerson()];
      const taken = await change(ada, bob.session.user.email);
      expect([taken.status, code(taken.body)]).toEqual([400, 'EMAIL_TAKEN']);
      const email = newEmail();
      await change(ada, email);
      const confirmation = await mails.codeFor(email, 'Confirm');
      await visitor.register(email, PASSWORD);
      expect(code((await verify(ada, ada, confirmation)).body)).toBe('EMAIL_TAKEN');
      expect(await profileOf(ada)).toMatchObject({ email: ada.session.user.email });
    });

    it('to the current address changes nothing and sends no mail', async () => {
      const ada = await verifiedPerson();
      const same = await ada.patch('/auth/update-profile', { email: ada.session.user.email });
      expect((same.body as { data: object }).data).not.toHaveProperty('pendingEmail');
      expect((same.body as { data: object }).data).toHaveProperty('emailVerifiedAt');
    });
  });
});
