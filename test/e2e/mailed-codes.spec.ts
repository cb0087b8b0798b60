import { MailServer, type ReceivedMail } from '../support/mail-server';
import { TestService } from '../support/service';
import { eventually } from '../support/eventually';
import { type SessionJson, SessionClient } from '../support/session-client';

const PASSWORD = 'correct horse battery';
const NEW_PASSWORD = 'the new password';
const MINUTE_MS = 60_000;
const OWN_ADDRESS = '203.0.113.1';

type Person = SessionClient & { session: SessionJson };
type Subject = 'Verify' | 'Reset' | 'Confirm';

describe('mailed codes', () => {
  let service: TestService;
  let mails: MailServer;
  let visitor: SessionClient;
  let people = 0;

  beforeAll(async () => {
    mails = await MailServer.start();
    service = await TestService.start({
      environment: {
        ALLOW_REGISTRATION: 'true',
        TRUST_PROXY: '1',
        SMTP_URL: mails.url,
        MAIL_FROM: 'gateway@example.com',
      },
    });
    visitor = new SessionClient(service.url);
  });
  afterEach(() => {
    service.clock.resume();
  });
  afterAll(async () => {
    await service.stop();
    await mails.close();
  });

  const newEmail = () => `coded${++people}@example.com`;
  const codeIn = (mail: ReceivedMail | undefined) =>
    /\bcode .*is ([0-9A-Z]{5}-[0-9A-Z]{5})\b/.exec(mail?.text ?? '')?.[1] ?? '';
  const minutesIn = (mail: ReceivedMail | undefined) =>
    Number(/valid for (\d+) minutes/.exec(mail?.text ?? '')?.[1]);
  const codesTo = (email: string, subject: Subject) => mails.mailsTo(email, subject).map(codeIn);
  /** Waits until this many mails have arrived. */
  const arrived = (email: string, subject: Subject, count: number) =>
    eventually(
      () => codesTo(email, subject),
      (codes) => codes.length >= count,
    );
  const verify = (by: SessionClient, { session }: Person, verificationCode: string) =>
    by.post('/auth/verify-email', { userId: session.user._id, verificationCode });
  const requestReset = (email: string, address = OWN_ADDRESS) =>
    visitor.post('/auth/request-password-reset', { email }).set('x-forwarded-for', address);
  const reset = (email: string, otp: string) =>
    visitor.post('/auth/reset-password', { email, otp, newPassword: NEW_PASSWORD });
  async function verifiedPerson(): Promise<Person> {
    const ada = await visitor.register(newEmail(), PASSWORD);
    const { email } = ada.session.user;
    expect((await verify(ada, ada, await mails.codeFor(email))).status).toBe(200);
    return ada;
  }

  /** All kinds of codes: how each is requested from a client address, and how it is used. */
  const codeKinds: [string, Subject, () => Promise<CodeKind>][] = [
    [
      'the verification of an address',
      'Verify',
      async () => {
        const ada = await visitor.register(newEmail(), PASSWORD);
        return {
          email: ada.session.user.email,
          request: (from) => ada.post('/auth/send-email-verification-email').set('x-forwarded-for', from),
          use: (code) => verify(ada, ada, code),
        };
      },
    ],
    [
      'a password reset',
      'Reset',
      async () => {
        const { email } = (await verifiedPerson()).session.user;
        return { email, request: (from) => requestReset(email, from), use: (code) => reset(email, code) };
      },
    ],
    [
      'a change of address',
      'Confirm',
      async () => {
        const [ada, email] = [await verifiedPerson(), newEmail()];
        return {
          email,
          request: (from) =>
            ada.patch('/auth/update-profile', { email, password: PASSWORD }).set('x-forwarded-for', from),
          use: (code) => verify(ada, ada, code),
        };
      },
    ],
  ];
  interface CodeKind {
    readonly email: string;
    readonly request: (from: string) => PromiseLike<{ status: number }>;
    readonly use: (code: string) => PromiseLike<{ status: number }>;
  }

  describe.each(codeKinds)('of %s', (_, subject, begin) => {
    it('stay valid for 15 minutes, however often others request a code', async () => {
      service.clock.stop();
      const { email, request, use } = await begin();
      expect((await request(OWN_ADDRESS)).status).toBe(200);
      const [owners = ''] = await arrived(email, subject, 1);
      const statuses: number[] = [];
      for (let minute = 1; minute < 15; minute++) {
        service.clock.advance(MINUTE_MS);
        const attacks = [1, 2].map((n) => request(`198.51.100.${10 * minute + n}`));
        statuses.push(...(await Promise.all(attacks)).map(({ status }) => status));
      }
      expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(15);
      const codes = await arrived(email, subject, 16);
      expect(new Set(codes).size).toBeLessThanOrEqual(3); // one for each half of a lifetime
      expect((await use(owners)).status).toBe(200);
      for (const code of new Set(codes)) expect((await use(code)).status).toBe(400);
    });

    it('expire 15 minutes after creation, even if they are mailed again', async () => {
      const { email, request, use } = await begin();
      await request(OWN_ADDRESS);
      const [first = ''] = await arrived(email, subject, 1);
      service.clock.advance(5 * MINUTE_MS);
      await request('198.51.100.1');
      const sent = await arrived(email, subject, 2);
      expect(sent.at(-1)).toBe(first);
      service.clock.advance(10 * MINUTE_MS + 1);
      expect((await use(first)).status).toBe(400);
    });

    it('are one code, valid once, when requested concurrently', async () => {
      const { email, request, use } = await begin();
      const requests = Array.from({ length: 8 }, (__, n) => request(`198.51.100.${n}`));
      for (const { status } of await Promise.all(requests)) expect(status).toBe(200);
      const [code = '', ...others] = await arrived(email, subject, 8);
      for (const other of others) expect(other).toBe(code);
      const uses = await Promise.all([use(code), use(code), use(code)]);
      expect(uses.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    });
  });

  it('come with their remaining time, at least seven minutes', async () => {
    const { email } = (await verifiedPerson()).session.user;
    for (const [index, advance] of [0, 4, 4].entries()) {
      service.clock.advance(advance * MINUTE_MS);
      await requestReset(email);
      await arrived(email, 'Reset', index + 1);
    }
    const sent = mails.mailsTo(email, 'Reset');
    expect(sent.map(minutesIn)).toEqual([15, 10, 15]);
    const [first, again, second] = sent.map(codeIn);
    expect(again).toBe(first);
    expect(second).not.toBe(first);
  });

  it('are two at most: using one invalidates both', async () => {
    const { email } = (await verifiedPerson()).session.user;
    await requestReset(email);
    await arrived(email, 'Reset', 1);
    service.clock.advance(8 * MINUTE_MS);
    await requestReset(email);
    const [first = '', second = ''] = await arrived(email, 'Reset', 2);
    expect(second).not.toBe(first);
    const answers = await Promise.all([reset(email, first), reset(email, second)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  it('allow 100,000 tries in total; the next request creates a new code, and the old ones stay invalid', async () => {
    const { email } = (await verifiedPerson()).session.user;
    await requestReset(email);
    await arrived(email, 'Reset', 1);
    service.clock.advance(8 * MINUTE_MS);
    await requestReset(email);
    const [first = '', second = ''] = await arrived(email, 'Reset', 2);
    const stored = { email, _id: /reset-password$/ };
    await service.collection('onetimecodes').updateOne(stored, { $set: { tries: 99_999 } });
    expect((await reset(email, 'AAAAA-AAAAA')).status).toBe(400);
    expect((await reset(email, second)).status).toBe(400);
    await requestReset(email);
    const [, , third = ''] = await arrived(email, 'Reset', 3);
    expect(third).not.toBe(second);
    expect((await reset(email, first)).status).toBe(400);
    expect((await reset(email, third)).status).toBe(200);
  });

  it('for a new address differ from those of an address requested before', async () => {
    const ada = await verifiedPerson();
    const [one, two] = [newEmail(), newEmail()];
    for (const email of [one, two]) await ada.patch('/auth/update-profile', { email, password: PASSWORD });
    const [second = ''] = await arrived(two, 'Confirm', 1);
    expect((await verify(ada, ada, second)).status).toBe(200);
    expect((await ada.get('/auth/who-am-i')).body).toMatchObject({ data: { email: two } });
  });

  it('cannot be read from the database', async () => {
    const { email } = (await verifiedPerson()).session.user;
    await requestReset(email);
    const [code = ''] = await arrived(email, 'Reset', 1);
    const stored = JSON.stringify(await service.collection('onetimecodes').find({ email }).toArray());
    for (const text of [code, code.replace('-', '')]) expect(stored).not.toContain(text);
  });

  it('of a verification are not limited by password resets that others request', async () => {
    const ada = await visitor.register(newEmail(), PASSWORD);
    const { email } = ada.session.user;
    for (let n = 0; n < 25; n++) await requestReset(email, `198.51.100.${n}`);
    expect((await ada.post('/auth/send-email-verification-email')).status).toBe(200);
  });
});
