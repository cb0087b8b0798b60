import { IsEmail, IsOptional, MinLength } from 'class-validator';
import { Variable } from './environment';

/** The account that the first start on an empty database makes. */
export class AuthConfig {
  @Variable('BOOTSTRAP_EMAIL')
  @IsEmail()
  readonly bootstrapEmail: string = 'owner@localhost.localdomain';

  /** Made and printed once when it is not set. */
  @Variable('BOOTSTRAP_API_KEY')
  @IsOptional()
  @MinLength(20)
  readonly bootstrapApiKey?: string;
}
