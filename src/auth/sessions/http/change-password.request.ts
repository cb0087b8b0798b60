import { OptionalText } from '../../../common/http/requests/fields';
import { MAX_PASSWORD_LENGTH, NewPassword } from '../../accounts/http/account-fields';

export class ChangePasswordRequest {
  @OptionalText(
    'The current password; omit it to set the first one in a session that a sign-in link opened',
    undefined,
    MAX_PASSWORD_LENGTH,
  )
  oldPassword?: string;

  @NewPassword()
  newPassword!: string;
}
