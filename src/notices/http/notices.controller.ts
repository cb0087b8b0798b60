import { Body, Controller, Get, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type AccountScope, CurrentAccount } from '../../auth/account-scope';
import { SessionRequired } from '../../auth/http/route-access.decorators';
import { ApiData, ApiEndpoint, ApiFieldError, ApiJsonBody } from '../../common/http/openapi-decorators';
import { NoticeSettingsService } from '../notice-settings.service';
import { NoticeSettingsRequest } from './notices.request';
import { NoticesResponse, toNoticesResponse } from './notices.response';

@ApiTags('Account')
@Controller('auth/notices')
export class NoticesController {
  constructor(private readonly settings: NoticeSettingsService) {}

  @Get()
  @ApiEndpoint(
    'getNotices',
    'Read what the owner is told',
    'What is mailed to the address of the account, and whether mails can be sent. Open pages of the dashboard follow these settings, too.',
  )
  @ApiData(NoticesResponse, 'The settings')
  async get(@CurrentAccount() account: AccountScope): Promise<NoticesResponse> {
    return toNoticesResponse(await this.settings.get(account));
  }

  @Put()
  @SessionRequired()
  @ApiEndpoint(
    'setNotices',
    'Set what the owner is told',
    'Replaces all settings. At most one mail in ten minutes and 20 a day, with everything that happened meanwhile.',
  )
  @ApiJsonBody(NoticeSettingsRequest)
  @ApiData(NoticesResponse, 'The settings as they are now')
  @ApiFieldError('offlineAfterMinutes', 'must not be greater than 1440')
  async set(
    @CurrentAccount() account: AccountScope,
    @Body() body: NoticeSettingsRequest,
  ): Promise<NoticesResponse> {
    return toNoticesResponse(await this.settings.set(account, body));
  }
}
