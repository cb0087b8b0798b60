import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  ApiData,
  ApiEndpoint,
  ApiErrors,
  ApiFieldError,
  ApiJsonBody,
} from '../../../common/http/openapi-decorators';
import { MIN_PASSWORD_LENGTH } from '../../accounts/http/account-fields';
import { EmailTaken, RegistrationClosed } from '../../auth.errors';
import type { Client } from '../../client';
import { ApiTooManyAttempts } from '../../http/attempts.openapi';
import { RequestClient } from '../../http/client-address';
import { Public } from '../../http/route-access.decorators';
import { SignInResponse, toSignInResponse } from '../../sessions/http/sign-in.response';
import { SignInService } from '../../sessions/sign-in.service';
import { RegistrationService } from '../registration.service';
import { RegisterRequest } from './register.request';

@ApiTags('Account')
@Controller('auth')
export class RegistrationController {
  constructor(
    private readonly registrations: RegistrationService,
    private readonly signIns: SignInService,
  ) {}

  @Public()
  @Post('register')
  @ApiEndpoint(
    'registerAccount',
    'Create an account',
    'Closed unless the operator allows registration. Sends are refused until the e-mail address is verified.',
  )
  @ApiJsonBody(RegisterRequest)
  @ApiData(SignInResponse, 'The account, signed in', { status: 201 })
  @ApiFieldError('password', `must be longer than or equal to ${MIN_PASSWORD_LENGTH} characters`)
  @ApiErrors(RegistrationClosed, EmailTaken)
  @ApiTooManyAttempts()
  async register(@Body() body: RegisterRequest, @RequestClient() client: Client): Promise<SignInResponse> {
    const profile = await this.registrations.register(body, client.address);
    return toSignInResponse(await this.signIns.openSession(profile, 'registration', client));
  }
}
