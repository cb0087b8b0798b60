import { Injectable, Logger } from '@nestjs/common';
import { Mail, Mailer } from './mailer';

/** Used when no mail server is configured: writes mails to the log, for the operator to forward. */
@Injectable()
export class LogMailer extends Mailer {
  private readonly logger = new Logger('Mail');

  send({ to, subject, text }: Mail): void {
    this.logger.log(`SMTP_URL is not set, so this is not sent. To: ${to}\nSubject: ${subject}\n\n${text}`);
  }
}
