import { Transform } from 'class-transformer';
import { IsBoolean, IsEmail, IsOptional, MinLength } from 'class-validator';
import { Variable } from './environment';

/** Accounts: the first one, who may make more, and the secret that mailed codes are signed with. */
export class AuthConfig {
  @Variable('BOOTSTRAP_EMAIL')
  @IsEmail()
  readonly bootstrapEmail: string = 'owner@localhost.localdomain';

  /** Made and printed once when it is not set. */
  @Variable('BOOTSTRAP_API_KEY')
  @IsOptional()
  @MinLength(20)
  readonly bootstrapApiKey?: string;

  /** Signs mailed codes; all processes share it, and a change makes outstanding codes useless. */
  @Variable('TOKEN_SECRET')
  @MinLength(32, { message: 'must be set to a secret of at least 32 characters' })
  readonly tokenSecret: string = '';

  /** Whether anybody may make an account. */
  @Variable('ALLOW_REGISTRATION')
  @Transform(({ value }: { value: unknown }) => (value === 'true' ? true : value === 'false' ? false : value))
  @IsBoolean({ message: 'must be true or false' })
  readonly allowRegistration: boolean = false;
}
