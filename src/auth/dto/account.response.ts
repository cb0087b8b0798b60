import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Id, OptionalTime } from '../../common/http/responses/fields';
import type { Profile } from '../accounts/accounts.repository';
import type { SignedIn } from '../accounts/sign-in.service';

export class AccountResponse {
  @Id('Account id')
  _id!: string;

  @ApiProperty({ description: 'Name of the owner', example: 'Ada' })
  name!: string;

  @ApiProperty({ format: 'email', description: 'E-mail address', example: 'me@example.com' })
  email!: string;

  @OptionalTime('When the e-mail address was verified; absent until then')
  emailVerifiedAt?: Date;

  @ApiPropertyOptional({
    description: 'Where numbers without a + are dialled: ISO 3166-1 alpha-2; absent if it is not set',
    example: 'GB',
  })
  defaultCountry?: string;

  @ApiPropertyOptional({
    description: 'True for an operator, whose sessions may call the operations; absent for everyone else',
    example: true,
  })
  operator?: boolean;
}

export class UpdatedAccountResponse extends AccountResponse {
  @ApiPropertyOptional({
    format: 'email',
    description: 'The new address, which takes effect when it is confirmed',
    example: 'new@example.com',
  })
  pendingEmail?: string;
}

export class SignInResponse {
  @ApiProperty({
    description:
      'The token of the session, sent as `authorization: Bearer`; valid for 30 days, until it is revoked or the password changes',
  })
  accessToken!: string;

  @ApiProperty({ description: 'The account' })
  user!: AccountResponse;
}

export function toAccountResponse(profile: Profile): AccountResponse {
  const { _id, name, email, emailVerifiedAt, defaultCountry, operator } = profile;
  return { _id: _id.toHexString(), name, email, emailVerifiedAt, defaultCountry, operator };
}

export function toSignInResponse({ session, profile }: SignedIn): SignInResponse {
  return { accessToken: session.token, user: toAccountResponse(profile) };
}
