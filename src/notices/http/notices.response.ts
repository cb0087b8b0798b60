import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { type LastMail, MAIL_RESULTS } from '../account-notices.schema';
import { MAIL_STATES, type MailState, type NoticesView } from '../notice-settings.service';

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

export class NoticesResponse {
  @ApiProperty({ description: 'Whether the owner is mailed at all' })
  mail!: boolean;

  @ApiProperty({ description: 'A phone cannot be reached for offlineAfterMinutes' })
  phoneOffline!: boolean;

  @ApiProperty({ description: 'A phone that its owner was told of is back, for ten minutes' })
  phoneBack!: boolean;

  @ApiProperty({ description: 'The messages of a SIM fail' })
  simUnhealthy!: boolean;

  @ApiProperty({ description: 'A webhook was paused because its endpoint failed' })
  webhookPaused!: boolean;

  @ApiProperty({ description: '80 % of a limit of the plan are used' })
  planNearlyUsed!: boolean;

  @ApiProperty({
    type: 'integer',
    description: 'How long a phone is offline before its owner is told, in minutes',
  })
  offlineAfterMinutes!: number;

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
  const { mail, phoneOffline, phoneBack, simUnhealthy, webhookPaused, planNearlyUsed, offlineAfterMinutes } =
    settings;
  return {
    mail,
    phoneOffline,
    phoneBack,
    simUnhealthy,
    webhookPaused,
    planNearlyUsed,
    offlineAfterMinutes,
    mailState,
    ...(lastMail && { lastMail: { at: lastMail.at, result: lastMail.result } }),
  };
}
