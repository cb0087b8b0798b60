import { Module } from '@nestjs/common';
import { MailConfig } from '../../config/sections/mail.config';
import { LogMailer } from './log-mailer';
import { Mailer } from './mailer';
import { SmtpMailer } from './smtp-mailer';

@Module({
  providers: [
    {
      provide: Mailer,
      inject: [MailConfig],
      useFactory: ({ smtpUrl, from }: MailConfig): Promise<Mailer> | Mailer =>
        smtpUrl && from ? SmtpMailer.create(smtpUrl, from) : new LogMailer(),
    },
  ],
  exports: [Mailer],
})
export class MailModule {}
