import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { HeaderAPIKeyStrategy } from 'passport-headerapikey';
import { AuthenticatedAccount } from './account-scope';
import { AuthService } from './auth.service';

/** Reads `x-api-key` (spec, Authentication). */
@Injectable()
export class ApiKeyStrategy extends PassportStrategy(HeaderAPIKeyStrategy, 'api-key') {
  constructor(private readonly auth: AuthService) {
    super({ header: 'x-api-key', prefix: '' }, false);
  }

  async validate(apiKey: string): Promise<AuthenticatedAccount | false> {
    return (await this.auth.authenticate(apiKey)) ?? false;
  }
}
