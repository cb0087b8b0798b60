import { Password } from '../../auth/accounts/http/account-fields';

export class EraseAccountRequest {
  @Password('The password of the account', { example: 'correct horse battery staple' })
  password!: string;
}
