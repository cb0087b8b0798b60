import { Injectable, Logger, OnApplicationShutdown } from '@nestjs/common';
import { createTransport, type Transporter } from 'nodemailer';
import { Mail, Mailer } from './mailer';
import { failureLine } from '../common/failure-line';

/** How long any one step of talking to the mail server may take. */
const STEP_LIMIT_MS = 5_000;
/** Mails under way at once; more are dropped, so that a server that hangs does not fill the memory. */
const MOST_UNDER_WAY = 500;

/** Sends mails over SMTP. */
@Injectable()
export class SmtpMailer extends Mailer implements OnApplicationShutdown {
  private readonly logger = new Logger('Mail');
  private readonly transport: Transporter;
  private readonly underWay = new Set<Promise<void>>();

  constructor(
    url: string,
    private readonly from: string,
  ) {
    super();
    this.transport = createTransport({
      url,
      connectionTimeout: STEP_LIMIT_MS,
      greetingTimeout: STEP_LIMIT_MS,
      socketTimeout: STEP_LIMIT_MS,
      dnsTimeout: STEP_LIMIT_MS,
    });
  }

  post(mail: Mail): void {
    if (this.underWay.size >= MOST_UNDER_WAY) {
      this.logger.error(`"${mail.subject}" was not sent: ${MOST_UNDER_WAY} mails wait for the mail server`);
      return;
    }
    const sending = this.send(mail).finally(() => this.underWay.delete(sending));
    this.underWay.add(sending);
  }

  /** Lets what is under way end; each step of it has its limit. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.underWay);
    this.transport.close();
  }

  private async send({ to, subject, text }: Mail): Promise<void> {
    try {
      // As an object: an address that is a list of addresses in disguise stays one recipient.
      await this.transport.sendMail({ from: this.from, to: { name: '', address: to }, subject, text });
    } catch (failure) {
      this.logger.error(`"${subject}" was not sent: ${failureLine(failure)}`);
    }
  }
}
