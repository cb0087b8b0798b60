import { Logger, Module } from '@nestjs/common';
import { MailConfig } from '../../config/sections/mail.config';
import { Mailer } from './mailer';
import { SmtpMailer } from './smtp-mailer';

/** Without a mail server, mails are written to the log, for the operator to forward. */
function logMailer(): Mailer {
  const logger = new Logger('Mail');
  return {
    send: ({ to, subject, text }) => {
      logger.log(`SMTP_URL is not set, so this is not sent. To: ${to}\nSubject: ${subject}\n\n${text}`);
    },
  };
}

@Module({
  providers: [
    {
      provide: Mailer,
      inject: [MailConfig],
      useFactory: ({ smtpUrl, from }: MailConfig): Promise<Mailer> | Mailer =>
        smtpUrl && from ? SmtpMailer.create(smtpUrl, from) : logMailer(),
    },
  ],
  exports: [Mailer],
})
export class MailModule {}
