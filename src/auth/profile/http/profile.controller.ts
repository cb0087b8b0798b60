import { Body, Controller, Get, Patch } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  ApiData,
  ApiEndpoint,
  ApiErrors,
  ApiFieldError,
  ApiJsonBody,
} from '../../../common/http/openapi-decorators';
import { type AccountScope, CurrentAccount } from '../../account-scope';
import { AccountResponse, toAccountResponse } from '../../accounts/http/account.response';
import { EmailTaken, WrongPassword } from '../../auth.errors';
import { ApiTooManyAttempts } from '../../http/attempts.openapi';
import { ClientAddress } from '../../http/client-address';
import { PhoneKeyAllowed, SessionRequired } from '../../http/route-access.decorators';
import { ProfileService } from '../profile.service';
import { UpdateProfileRequest } from './profile.request';
import { UpdatedAccountResponse } from './profile.response';

@ApiTags('Account')
@Controller('auth')
export class ProfileController {
  constructor(private readonly profiles: ProfileService) {}

  @PhoneKeyAllowed('account')
  @Get('who-am-i')
  @ApiEndpoint('whoAmI', 'Read the account', 'The account that the API key or the accessToken belongs to.')
  @ApiData(AccountResponse, 'The account')
  async whoAmI(@CurrentAccount() account: AccountScope): Promise<AccountResponse> {
    return toAccountResponse(await this.profiles.get(account));
  }

  @Patch('update-profile')
  @SessionRequired()
  @ApiEndpoint(
    'updateProfile',
    'Change name or e-mail address',
    'A new address takes effect when it is confirmed with the code that is mailed to it.',
  )
  @ApiJsonBody(UpdateProfileRequest)
  @ApiData(UpdatedAccountResponse, 'The account as it is now')
  @ApiFieldError('email', 'must be an email')
  @ApiErrors(EmailTaken, WrongPassword)
  @ApiTooManyAttempts()
  async updateProfile(
    @CurrentAccount() account: AccountScope,
    @Body() body: UpdateProfileRequest,
    @ClientAddress() address: string,
  ): Promise<UpdatedAccountResponse> {
    const { profile, pendingEmail } = await this.profiles.update(account, body, address);
    return Object.assign(toAccountResponse(profile), { pendingEmail });
  }
}
