import { Body, Controller, Get, Patch } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type AccountScope, CurrentAccount } from '../../../auth/account-scope';
import { ApiData, ApiEndpoint, ApiFieldError, ApiJsonBody } from '../../../common/http/openapi-decorators';
import { ConsentSettingsService } from '../consent-settings.service';
import { ConsentSettingsRequest } from './consent-settings.request';
import { ConsentSettingsResponse, toConsentSettingsResponse } from './consent-settings.response';

@ApiTags('Consent')
@Controller('gateway/consent-settings')
export class ConsentSettingsController {
  constructor(private readonly settings: ConsentSettingsService) {}

  @Get()
  @ApiEndpoint(
    'getConsentSettings',
    'Read the settings of consent',
    'How incoming texts such as STOP are understood, and what they stop.',
  )
  @ApiData(ConsentSettingsResponse, 'The settings')
  async get(@CurrentAccount() account: AccountScope): Promise<ConsentSettingsResponse> {
    return toConsentSettingsResponse(await this.settings.get(account));
  }

  @Patch()
  @ApiEndpoint(
    'updateConsentSettings',
    'Change the settings of consent',
    'Absent fields stay unchanged. Counts for texts that arrive from now on; switching it on or off also for messages that wait.',
  )
  @ApiJsonBody(ConsentSettingsRequest)
  @ApiData(ConsentSettingsResponse, 'The settings as they are now')
  @ApiFieldError('keywords.in.0', 'is a keyword with the meaning out already')
  async update(
    @CurrentAccount() account: AccountScope,
    @Body() body: ConsentSettingsRequest,
  ): Promise<ConsentSettingsResponse> {
    return toConsentSettingsResponse(await this.settings.update(account, body.toPatch()));
  }
}
