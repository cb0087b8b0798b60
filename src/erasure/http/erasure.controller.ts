import { Body, Controller, Delete } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type AccountScope, CurrentAccount } from '../../auth/account-scope';
import { WrongPassword } from '../../auth/auth.errors';
import { ClientAddress } from '../../auth/http/client-address';
import { ApiTooManyAttempts } from '../../auth/http/attempts.openapi';
import { SessionRequired } from '../../auth/http/route-access.decorators';
import { PasswordConfirmation } from '../../auth/passwords/password-confirmation.service';
import {
  ApiEndpoint,
  ApiSuccess,
  ApiErrors,
  ApiFieldError,
  ApiJsonBody,
} from '../../common/http/openapi-decorators';
import { EraseAccountRequest } from './erase-account.request';
import { ErasureService } from '../erasure.service';

@ApiTags('Account')
@Controller('auth/account')
export class ErasureController {
  constructor(
    private readonly erasures: ErasureService,
    private readonly passwords: PasswordConfirmation,
  ) {}

  @Delete()
  @SessionRequired()
  @ApiEndpoint(
    'deleteAccount',
    'Delete the account with all its data',
    'Keys and sessions are refused immediately and phones receive no messages; all data is removed within minutes. This cannot be undone.',
  )
  @ApiJsonBody(EraseAccountRequest)
  @ApiSuccess('The account is closed and is being removed')
  @ApiFieldError('password', 'should not be empty')
  @ApiErrors(WrongPassword)
  @ApiTooManyAttempts()
  async remove(
    @CurrentAccount() account: AccountScope,
    @Body() { password }: EraseAccountRequest,
    @ClientAddress() address: string,
  ): Promise<void> {
    await this.passwords.confirm(account, password, address, 'password');
    await this.erasures.start(account);
  }
}
