import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { type LastMail, MAIL_RESULTS } from '../account-notices.schema';
import { MAIL_STATES, type MailState, type NoticesView } from '../notice-settings.service';
import { NoticeSettingsRequest } from './notices.request';

export class LastMailResponse {
  @ApiProperty({ description: 'When the mail server accepted it, or when it was given up' })
  at!: Date;

  @ApiProperty({
    enum: MAIL_RESULTS,
    enumName: 'NoticeMailResult',
    description: 'failed: the mail server did not accept it for a day',
  })
  result!: LastMail['result'];
}

export class NoticesResponse extends NoticeSettingsRequest {
  @ApiProperty({
    enum: MAIL_STATES,
    enumName: 'NoticeMailState',
    description:
      'Whether the account gets these mails: not without a mail server (SMTP_URL), or before its address is verified',
  })
  mailState!: MailState;

  @ApiPropertyOptional({ description: 'The last mail with notices' })
  lastMail?: LastMailResponse;
}

export function toNoticesResponse({ settings, mailState, lastMail }: NoticesView): NoticesResponse {
  return {
    ...settings,
    mailState,
    ...(lastMail && { lastMail: { at: lastMail.at, result: lastMail.result } }),
  };
}
