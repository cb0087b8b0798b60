import { IsEmail, IsOptional, MinLength } from 'class-validator';
import { BooleanVariable, Variable } from '../environment/environment';

export class AuthConfig {
  @Variable('BOOTSTRAP_EMAIL')
  @IsEmail()
  readonly bootstrapEmail: string = 'owner@localhost.localdomain';

  /** Generated and printed once if it is not set. */
  @Variable('BOOTSTRAP_API_KEY')
  @IsOptional()
  @MinLength(20)
  readonly bootstrapApiKey?: string;

  /** Signs mailed codes. All processes must share it; changing it invalidates pending codes. */
  @Variable('TOKEN_SECRET')
  @MinLength(32, { message: 'must be set to a secret of at least 32 characters' })
  readonly tokenSecret: string = '';

  /** Whether anyone can register. */
  @BooleanVariable('ALLOW_REGISTRATION')
  readonly allowRegistration: boolean = false;
}
