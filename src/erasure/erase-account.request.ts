import { Password } from '../auth/dto/account.request';

export class EraseAccountRequest {
  @Password('The password of the account', { example: 'correct horse battery staple' })
  password!: string;
}
