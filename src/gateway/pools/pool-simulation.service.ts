import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { AccountsRepository } from '../../auth/accounts/accounts.repository';
import { ValidationFailed } from '../../common/errors';
import { normalizePhoneNumber } from '../../common/phone-number';
import type { Rejection, SimChoice } from '../../devices/sims/pools/choose-sim';
import { choiceSentence, rejectionSentence } from './pool-sentences';
import type { PoolCandidate } from '../senders/pool-view';
import { PoolViews } from '../senders/pool-views.service';
import { PoolNotFound } from '../senders/pool.errors';
import { PoolsRepository } from '../../devices/sims/pools/pools.repository';

export interface PoolSimulation {
  readonly choice: SimChoice<PoolCandidate>;
  /** Why, as a sentence. */
  readonly text: string;
  readonly rejections: readonly (Rejection & { readonly text: string })[];
}

/** Says which SIM of a pool would send a message. */
@Injectable()
export class PoolSimulationService {
  constructor(
    private readonly pools: PoolsRepository,
    private readonly views: PoolViews,
    private readonly accounts: AccountsRepository,
  ) {}

  /**
   * Chooses the SIM of an ordinary message of one part to a recipient, as a send would now. Nothing is sent, stored or
   * counted.
   * @throws PoolNotFound, ValidationFailed if the recipient is not a phone number.
   */
  async simulate(account: AccountScope, id: Types.ObjectId, recipient: string): Promise<PoolSimulation> {
    const number = normalizePhoneNumber(recipient);
    if (number === null)
      throw ValidationFailed.of(
        'recipient',
        'must be a phone number: 3 to 15 digits, with or without a leading +',
      );
    const [sendingAccount, pool] = await Promise.all([
      this.accounts.findSendingAccount(account),
      this.pools.find(account, id),
    ]);
    if (!pool) throw new PoolNotFound();
    const { view, peerNumberOf } = await this.views.openFor(
      account,
      pool,
      [number],
      sendingAccount?.defaultCountry,
    );
    const choice = view.choose({ peerNumber: peerNumberOf(number), parts: 1, isSingleUrgent: false });
    return {
      choice,
      text: choiceSentence(choice),
      rejections: choice.rejections.flatMap((rejection) => {
        const member = view.members.find(({ sim }) => sim._id.toHexString() === rejection.sim);
        return member ? [{ ...rejection, text: rejectionSentence(rejection, member) }] : [];
      }),
    };
  }
}
