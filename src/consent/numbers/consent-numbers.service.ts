import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../../auth/account-scope';
import { peerNumber, peerNumberForms } from '../../common/peer-number';
import { mapInSlices } from '../../common/slices';
import { AccountCountries } from '../../messages/lists/account-countries.service';
import { NumberKeys } from './number-keys.service';

/** Reads numbers as people write them, in the countries of an account. */
@Injectable()
export class ConsentNumbers {
  constructor(
    private readonly countries: AccountCountries,
    private readonly keys: NumberKeys,
  ) {}

  /** The comparable form of a number, read with the default country of the account, else that of its first SIM. */
  async read(account: AccountScope, text: string): Promise<string> {
    const [country] = await this.countries.listFor(account, [text]);
    return peerNumber(text, country);
  }

  /** The same of many, in this order. */
  async readAll(account: AccountScope, texts: readonly string[]): Promise<string[]> {
    const [country] = await this.countries.listFor(account, texts);
    return mapInSlices(texts, (text) => peerNumber(text, country));
  }

  /** @param number in comparable form. */
  keyOf(account: AccountScope, number: string): Promise<string> {
    return this.keys.keyOf(account, number);
  }

  /** The keys of all numbers that a text may mean. */
  async keysMatching(account: AccountScope, text: string): Promise<string[]> {
    const countries = await this.countries.listFor(account, [text]);
    return this.keys.keysOf(account, peerNumberForms(text, countries));
  }
}
