import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../auth/account-scope';
import { AccountsRepository } from '../auth/accounts/accounts.repository';
import { type Country, isDialledInCountry, parseCountry } from '../common/peer-number';
import { DevicesRepository } from './store/devices.repository';

/** The countries in which an account dials numbers without a country code. */
@Injectable()
export class AccountCountries {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly devices: DevicesRepository,
  ) {}

  /**
   * Lists the default country of the account, then those of its SIMs.
   * @param texts what the countries are for. @returns none, without a query, if no text is a number that is read by country.
   */
  async listFor(account: AccountScope, texts: readonly (string | undefined)[]): Promise<Country[]> {
    return texts.some((text) => text !== undefined && isDialledInCountry(text)) ? this.listAll(account) : [];
  }

  /** The same for any texts. */
  async listAll(account: AccountScope): Promise<Country[]> {
    const [owner, simCountries] = await Promise.all([
      this.accounts.findSendingAccount(account),
      this.devices.listSimCountries(account),
    ]);
    const countries = [owner?.defaultCountry, ...simCountries].flatMap((text) => parseCountry(text) ?? []);
    return [...new Set(countries)];
  }
}
