import { Logger } from '@nestjs/common';
import { selfSignedCertificate, TestCa } from '../../../test/support/certificates';
import { MailServer } from '../../../test/support/mail-server';
import { SmtpMailer } from './smtp-mailer';

const MAIL = { to: 'ada@example.com', subject: 'Verify', text: 'Your code is 7F3KQ-X9D2M' };

describe('SmtpMailer', () => {
  const ca = new TestCa();
  const selfSigned = selfSignedCertificate(['127.0.0.1']);
  let logged: jest.SpyInstance;

  beforeEach(() => {
    logged = jest.spyOn(Logger.prototype, 'error').mockImplementation();
  });

  /** @returns what the server received, and what was logged. */
  async function send(server: MailServer, query = '', extraCa?: readonly string[]) {
    const mailer = await SmtpMailer.create(server.url + query, 'gateway@example.com', extraCa);
    mailer.send(MAIL);
    await mailer.onApplicationShutdown();
    await server.close();
    return { received: server.mailsTo(MAIL.to), logged: logged.mock.calls.flat().join() };
  }

  it.each([
    ['of a private authority', ca.issue(['127.0.0.1']), [ca.cert]],
    ['that is self-signed and trusted', selfSigned, [selfSigned.cert]],
  ])('trusts a certificate %s', async (_, certificate, extraCa) => {
    const { received, logged } = await send(await MailServer.start(certificate), '', extraCa);
    expect(received).toHaveLength(1);
    expect(logged).toBe('');
  });

  it('accepts any certificate if the address says so', async () => {
    const { received } = await send(await MailServer.start(selfSigned), '/?tls.rejectUnauthorized=false');
    expect(received).toHaveLength(1);
  });

  it.each([
    ['is not trusted', selfSigned, undefined],
    ['is for another host', ca.issue(['mail.test']), [ca.cert]],
  ])('writes a mail to the log if the certificate %s', async (_, certificate, extraCa) => {
    const { received, logged } = await send(await MailServer.start(certificate), '', extraCa);
    expect(received).toEqual([]);
    expect(logged).toMatch(/not sent, check SMTP_URL: .*certificate|altnames/);
    for (const part of Object.values(MAIL)) expect(logged).toContain(part);
  });
});
