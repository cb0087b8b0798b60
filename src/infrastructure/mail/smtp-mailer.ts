import { Injectable, Logger, OnApplicationShutdown } from '@nestjs/common';
import type { Transporter } from 'nodemailer';
import { Mail, Mailer } from './mailer';
import { formatError } from '../../common/format-error';

/** Limit of each step of the SMTP dialogue. */
const STEP_TIMEOUT_MS = 5_000;
/** Further mails are dropped, so that an unresponsive mail server does not fill the memory. */
const MAX_PENDING_MAILS = 500;

@Injectable()
export class SmtpMailer extends Mailer implements OnApplicationShutdown {
  private readonly logger = new Logger('Mail');
  private readonly pending = new Set<Promise<void>>();

  private constructor(
    private readonly transport: Transporter,
    private readonly from: string,
  ) {
    super();
  }

  static async create(url: string, from: string): Promise<SmtpMailer> {
    const { createTransport } = await import('nodemailer');
    const transport = createTransport({
      url,
      connectionTimeout: STEP_TIMEOUT_MS,
      greetingTimeout: STEP_TIMEOUT_MS,
      socketTimeout: STEP_TIMEOUT_MS,
      dnsTimeout: STEP_TIMEOUT_MS,
    });
    return new SmtpMailer(transport, from);
  }

  send(mail: Mail): void {
    if (this.pending.size >= MAX_PENDING_MAILS) {
      this.logger.error(
        `"${mail.subject}" was dropped: ${MAX_PENDING_MAILS} mails wait for the mail server; check SMTP_URL`,
      );
      return;
    }
    const sending = this.deliver(mail).finally(() => this.pending.delete(sending));
    this.pending.add(sending);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.pending);
    this.transport.close();
  }

  private async deliver({ to, subject, text }: Mail): Promise<void> {
    try {
      // As an object, so that nodemailer does not parse the address as a list of recipients.
      await this.transport.sendMail({ from: this.from, to: { name: '', address: to }, subject, text });
    } catch (failure) {
      this.logger.error(`"${subject}" was not sent: ${formatError(failure)}`);
    }
  }
}
