import { IsOptional, Matches, ValidateIf } from 'class-validator';
import { Variable } from '../environment/environment';

export class MailConfig {
  /** Without it, mails are written to the log, for the operator to forward. */
  @Variable('SMTP_URL')
  @IsOptional()
  @Matches(/^smtps?:\/\/\S+$/, { message: 'must be an smtp:// or smtps:// address' })
  readonly smtpUrl?: string;

  /** The sender of every mail. */
  @Variable('MAIL_FROM')
  @ValidateIf((config: MailConfig) => config.smtpUrl !== undefined || config.from !== undefined)
  @Matches(/^[^\r\n]*\S+@\S+$/, { message: 'must be set to a mail address when SMTP_URL is' })
  readonly from?: string;
}
