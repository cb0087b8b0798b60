import { Logger } from '@nestjs/common';
import { eventually } from '../support/eventually';
import { MailServer } from '../support/mail-server';
import { fastestRunMs } from '../support/fastest-run';
import { TestService } from '../support/service';
import { TcpProxy } from '../support/tcp-proxy';
import { SessionClient } from '../support/session-client';

const PASSWORD = 'correct horse battery';

describe('accounts while Redis or the mail server is unavailable', () => {
  let redis: TcpProxy;
  let service: TestService;
  let mails: MailServer;
  let visitor: SessionClient;

  beforeAll(async () => {
    const { REDIS_URL = '' } = process.env;
    redis = await TcpProxy.to(REDIS_URL);
    mails = await MailServer.start();
    service = await TestService.start({
      environment: {
        ALLOW_REGISTRATION: 'true',
        REDIS_URL: redis.via(REDIS_URL),
        SMTP_URL: mails.url,
        MAIL_FROM: 'gateway@example.com',
      },
    });
    visitor = new SessionClient(service.url);
  });
  afterAll(async () => {
    redis.restore();
    await service.stop();
    await Promise.all([redis.close(), mails.close()]);
  });

  it.each(['cut', 'freeze'] as const)('logs in within about a second without Redis (%s)', async (how) => {
    const email = `${how}@example.com`;
    await visitor.register(email, PASSWORD);
    redis[how]();
    const logIn = () => visitor.logIn(email, PASSWORD);
    expect(await fastestRunMs(1, logIn)).toBeLessThan(10_000);
    expect(await fastestRunMs(5, logIn)).toBeLessThan(1_000); // the others do not wait a second for Redis again
    redis.restore();
  });

  it('an unresponsive mail server delays no request, and another mail can be requested', async () => {
    const email = 'silence@example.com';
    mails.isUnresponsive = true;
    const ada = await visitor.register(email, PASSWORD);
    const others = ['silence2@example.com', 'silence3@example.com'].values();
    const register = () => visitor.register(others.next().value ?? '', PASSWORD);
    // The mail server is given up after five seconds.
    expect(await fastestRunMs(2, register)).toBeLessThan(5_000);
    await eventually(
      () => mails.ignoredConnections,
      (kept) => kept > 0,
    );
    mails.isUnresponsive = false;
    expect((await ada.post('/auth/send-email-verification-email')).status).toBe(200);
    const verificationCode = await mails.codeFor(email);
    const verification = { userId: ada.session.user._id, verificationCode };
    expect((await visitor.post('/auth/verify-email', verification)).status).toBe(200);
  });

  it('writes the whole mail to the log without a mail server', async () => {
    const log = jest.spyOn(Logger.prototype, 'log').mockImplementation();
    const quiet = await TestService.start({ shared: service, environment: { ALLOW_REGISTRATION: 'true' } });
    const ada = await new SessionClient(quiet.url).register('log@example.com', PASSWORD);
    const text = log.mock.calls
      .map(([line]) => String(line))
      .find((line) => line.includes('log@example.com'));
    const verificationCode = /\bcode is ([0-9A-Z-]{11})\b/.exec(text ?? '')?.[1];
    const verification = { userId: ada.session.user._id, verificationCode };
    expect((await visitor.post('/auth/verify-email', verification)).status).toBe(200);
    log.mockRestore();
    await quiet.stop();
  });
});
