import { Body, Controller, Get, HttpCode, Patch, Post } from '@nestjs/common';
import { type AccountScope, CurrentAccount } from './account-scope';
import { ClientAddress } from './client-address';
import {
  ChangePasswordRequest,
  LoginRequest,
  RegisterRequest,
  UpdateProfileRequest,
} from './dto/account.request';
import {
  AccountResponse,
  SessionResponse,
  toAccountResponse,
  toSessionResponse,
} from './dto/account.response';
import { ProfileService } from './profile.service';
import { Public } from './public';
import { SessionsService } from './sessions.service';

@Controller('auth')
export class AuthController {
  constructor(
    private readonly sessions: SessionsService,
    private readonly profiles: ProfileService,
  ) {}

  @Public()
  @Post('register')
  async register(@Body() body: RegisterRequest, @ClientAddress() address: string): Promise<SessionResponse> {
    return toSessionResponse(await this.sessions.register(body, address));
  }

  @Public()
  @Post('login')
  @HttpCode(200)
  async logIn(@Body() body: LoginRequest, @ClientAddress() address: string): Promise<SessionResponse> {
    return toSessionResponse(await this.sessions.logIn(body.email, body.password, address));
  }

  @Get('who-am-i')
  async whoAmI(@CurrentAccount() account: AccountScope): Promise<AccountResponse> {
    return toAccountResponse(await this.profiles.get(account));
  }

  @Patch('update-profile')
  async updateProfile(
    @CurrentAccount() account: AccountScope,
    @Body() body: UpdateProfileRequest,
    @ClientAddress() address: string,
  ): Promise<AccountResponse> {
    return toAccountResponse(await this.profiles.update(account, body, address));
  }

  @Post('change-password')
  @HttpCode(200)
  async changePassword(
    @CurrentAccount() account: AccountScope,
    @Body() { oldPassword, newPassword }: ChangePasswordRequest,
    @ClientAddress() address: string,
  ): Promise<SessionResponse> {
    return toSessionResponse(await this.sessions.changePassword(account, oldPassword, newPassword, address));
  }
}
