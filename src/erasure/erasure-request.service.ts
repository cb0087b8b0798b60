import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../auth/account-scope';
import { PasswordConfirmation } from '../auth/passwords/password-confirmation.service';
import { ErasureService } from './erasure.service';

/** Erasures that the owners of accounts request. */
@Injectable()
export class ErasureRequestService {
  constructor(
    private readonly erasures: ErasureService,
    private readonly passwords: PasswordConfirmation,
  ) {}

  /**
   * Starts the erasure after checking the password. The account is closed when this returns; its data is removed within
   * minutes.
   * @throws WrongPassword, TooManyAttempts, Unauthorized
   */
  async request(account: AccountScope, password: string, address: string): Promise<void> {
    await this.passwords.confirm(account, password, address, 'oldPassword');
    await this.erasures.start(account);
  }
}
