import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { COUNTRIES } from '../../../common/peer-number';
import { OptionalField, OptionalText } from '../../../common/http/requests/fields';
import { PlainName } from '../../../common/http/requests/text-rules';
import { EmailAddress, MAX_NAME_LENGTH, MAX_PASSWORD_LENGTH } from '../../accounts/http/account-fields';

export class UpdateProfileRequest {
  @OptionalText('Name of the owner', 'Ada', MAX_NAME_LENGTH)
  @PlainName()
  name?: string;

  @ApiPropertyOptional({
    description:
      'Where numbers without a + are dialled, to recognise them in other spellings: ISO 3166-1 alpha-2. Empty removes it; the country of the SIM counts then. Applies to messages from then on',
    example: 'GB',
    pattern: '^([A-Z]{2})?$',
  })
  @OptionalField()
  @IsIn(['', ...COUNTRIES], { message: '$property must be a country, such as GB, or empty' })
  defaultCountry?: string;

  @ApiPropertyOptional({
    format: 'email',
    description:
      'New e-mail address; it takes effect when it is confirmed with the code that is mailed to it',
    example: 'me@example.com',
  })
  @IsOptional()
  @EmailAddress()
  email?: string;

  @OptionalText('The password; required to change the e-mail address', undefined, MAX_PASSWORD_LENGTH)
  password?: string;
}
