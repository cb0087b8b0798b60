import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../../auth/account-scope';
import { AccountTurns } from '../../auth/limits/account-turns.service';
import { Clock } from '../../common/clock';
import { ConsentNumbers } from '../../consent/numbers/consent-numbers.service';
import { NumberKeys } from '../../consent/numbers/number-keys.service';
import { ConsentSettingsService } from '../../consent/settings/consent-settings.service';
import { currentState, type DeclaredSend, findStopping } from '../../consent/suppressions/suppression-rules';
import { SuppressionsRepository } from '../../consent/suppressions/suppressions.repository';
import type { SuppressionView } from './suppression-views.service';

/** A number that a send would not reach. */
export interface StoppedNumber {
  /** Its place among the numbers that were asked about, from 0. */
  readonly index: number;
  readonly block: SuppressionView;
}

const NUMBERS_PER_READ = 200;

/** Tells which numbers a send would not reach, before it is sent. */
@Injectable()
export class SuppressionChecks {
  constructor(
    private readonly settings: ConsentSettingsService,
    private readonly numbers: ConsentNumbers,
    private readonly keys: NumberKeys,
    private readonly suppressions: SuppressionsRepository,
    private readonly turns: AccountTurns,
    private readonly clock: Clock,
  ) {}

  /** @param numbers in any spelling. @returns those that are blocked for such a send; none if consent is switched off. */
  async check(
    account: AccountScope,
    numbers: readonly string[],
    send: DeclaredSend,
  ): Promise<StoppedNumber[]> {
    if (!(await this.settings.get(account)).enabled) return [];
    const read = await this.numbers.readAll(account, numbers);
    const stopped: StoppedNumber[] = [];
    const doPart = this.turns.parts(account);
    for (let from = 0; from < read.length; from += NUMBERS_PER_READ) {
      const part = read.slice(from, from + NUMBERS_PER_READ);
      const found = await doPart(() => this.findStopped(account, part, send));
      stopped.push(...found.map(({ index, block }) => ({ index: from + index, block })));
    }
    return stopped;
  }

  /** @param numbers in comparable form. */
  private async findStopped(
    account: AccountScope,
    numbers: readonly string[],
    send: DeclaredSend,
  ): Promise<StoppedNumber[]> {
    const keys = await this.keys.keysOf(account, numbers);
    const blocks = await this.suppressions.findOfNumbers(account, [...new Set(keys)]);
    const now = this.clock.now();
    return keys.flatMap((key, index) => {
      const suppression = findStopping(blocks.get(key) ?? [], send, now);
      const state = suppression && currentState(suppression, now);
      return state ? [{ index, block: { suppression, state } }] : [];
    });
  }
}
