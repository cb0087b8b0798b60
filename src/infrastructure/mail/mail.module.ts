import { Logger, Module } from '@nestjs/common';
import { MailConfig } from '../../config/sections/mail.config';
import { OutboundConfig } from '../../config/sections/outbound.config';
import { type Mail, mailText, Mailer } from './mailer';
import { SmtpMailer } from './smtp-mailer';

/** Without a mail server, mails are written to the log, for the operator to forward. */
function logMailer(): Mailer {
  const logger = new Logger('Mail');
  const send = (mail: Mail) => {
    logger.log(`SMTP_URL is not set, so this is not sent. ${mailText(mail)}`);
  };
  return {
    hasServer: false,
    send,
    deliver: (mail) => {
      send(mail);
      return Promise.resolve();
    },
  };
}

@Module({
  providers: [
    {
      provide: Mailer,
      inject: [MailConfig, OutboundConfig],
      useFactory: ({ smtpUrl, from }: MailConfig, { extraCa }: OutboundConfig): Promise<Mailer> | Mailer =>
        smtpUrl && from ? SmtpMailer.create(smtpUrl, from, extraCa) : logMailer(),
    },
  ],
  exports: [Mailer],
})
export class MailModule {}
