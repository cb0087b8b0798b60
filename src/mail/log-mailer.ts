import { Injectable, Logger } from '@nestjs/common';
import { Mail, Mailer } from './mailer';

/** Stands in where no mail server is configured: the operator reads the mail in the log and passes it on. */
@Injectable()
export class LogMailer extends Mailer {
  private readonly logger = new Logger('Mail');

  post({ to, subject, text }: Mail): void {
    this.logger.log(`SMTP_URL is not set, so this is not sent. To: ${to}\nSubject: ${subject}\n\n${text}`);
  }
}
