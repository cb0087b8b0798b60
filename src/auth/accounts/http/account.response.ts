import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Id, OptionalTime } from '../../../common/http/responses/fields';
import type { Profile } from '../accounts.repository';

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

export function toAccountResponse(profile: Profile): AccountResponse {
  const { _id, name, email, emailVerifiedAt, defaultCountry, operator } = profile;
  return { _id: _id.toHexString(), name, email, emailVerifiedAt, defaultCountry, operator };
}
