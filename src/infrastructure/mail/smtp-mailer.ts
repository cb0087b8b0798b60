import { Injectable, Logger, OnApplicationShutdown } from '@nestjs/common';
import type { Transporter } from 'nodemailer';
import { Mail, mailText, Mailer } from './mailer';
import { trustedAuthorities } from '../proxy/outbound-options';
import { formatError } from '../../common/format-error';

/** Limit of each step of the SMTP dialogue. */
const STEP_TIMEOUT_MS = 5_000;
/** Further mails are dropped, so that an unresponsive mail server does not fill the memory. */
const MAX_PENDING_MAILS = 500;

@Injectable()
export class SmtpMailer extends Mailer implements OnApplicationShutdown {
  readonly hasServer = true;
  private readonly logger = new Logger('Mail');
  private readonly pending = new Set<Promise<void>>();

  private constructor(
    private readonly transport: Transporter,
    private readonly from: string,
  ) {
    super();
  }

  /**
   * @param url may set options of nodemailer, such as `?tls.rejectUnauthorized=false`.
   * @param extraCa PEM certificate authorities, trusted in addition to Node's own.
   */
  static async create(url: string, from: string, extraCa?: readonly string[]): Promise<SmtpMailer> {
    const { createTransport } = await import('nodemailer');
    const transport = createTransport({
      url,
      connectionTimeout: STEP_TIMEOUT_MS,
      greetingTimeout: STEP_TIMEOUT_MS,
      socketTimeout: STEP_TIMEOUT_MS,
      dnsTimeout: STEP_TIMEOUT_MS,
      ...(extraCa && { tls: { ca: trustedAuthorities(extraCa) } }),
    });
    return new SmtpMailer(transport, from);
  }

  send(mail: Mail): void {
    if (this.pending.size >= MAX_PENDING_MAILS) {
      this.logger.error(
        `A mail was not sent: ${MAX_PENDING_MAILS} others wait for the mail server; check SMTP_URL. ${mailText(mail)}`,
      );
      return;
    }
    const sending = this.deliverOrLog(mail).finally(() => this.pending.delete(sending));
    this.pending.add(sending);
  }

  async deliver({ to, subject, text, id }: Mail): Promise<void> {
    const host = this.from.replace(/>\s*$/, '').split('@').at(-1);
    await this.transport.sendMail({
      from: this.from,
      // As an object, so that nodemailer does not parse the address as a list of recipients.
      to: { name: '', address: to },
      subject,
      text,
      ...(id !== undefined && { messageId: `<${id}@${host}>` }),
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.pending);
    this.transport.close();
  }

  private async deliverOrLog(mail: Mail): Promise<void> {
    try {
      await this.deliver(mail);
    } catch (failure) {
      this.logger.error(`A mail was not sent, check SMTP_URL: ${formatError(failure)}. ${mailText(mail)}`);
    }
  }
}
