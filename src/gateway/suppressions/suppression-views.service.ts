import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../../auth/account-scope';
import { AutoRepliesRepository } from '../../consent/auto-replies/auto-replies.repository';
import type { AutoReply } from '../../consent/auto-replies/auto-reply.schema';
import { currentState } from '../../consent/suppressions/suppression-rules';
import type { Suppression } from '../../consent/suppressions/suppression.schema';
import { type ContactName, ContactsRepository } from '../../contacts/store/contacts.repository';

/** A block as it is now: one that was held for a week is out. */
export interface SuppressionView {
  readonly suppression: Suppression;
  readonly state: 'out' | 'held';
  /** The last confirmation that the number got. */
  readonly confirmation?: AutoReply;
  /** Only in lists. */
  readonly contact?: ContactName;
}

/** Adds to blocks what their owner sees beside them. */
@Injectable()
export class SuppressionViews {
  constructor(
    private readonly replies: AutoRepliesRepository,
    private readonly contacts: ContactsRepository,
  ) {}

  /** Those that are not lifted, each with its confirmation and whose number it is. */
  async of(
    account: AccountScope,
    suppressions: readonly Suppression[],
    now: Date,
  ): Promise<SuppressionView[]> {
    const keys = suppressions.flatMap(({ source, numberKey }) => (source === 'keyword' ? numberKey : []));
    const found = keys.length > 0 ? await this.replies.listConfirmations(account, keys) : [];
    const confirmations = new Map(found.map((reply) => [reply.numberKey, reply]));
    const numbers = suppressions.map(({ number }) => number);
    const names = numbers.length > 0 ? await this.contacts.findNames(account, numbers) : [];
    const contacts = new Map(names.flatMap((name) => name.peerNumbers.map((number) => [number, name])));
    return suppressions.flatMap((suppression) => {
      const state = currentState(suppression, now);
      const confirmation =
        suppression.source === 'keyword' ? confirmations.get(suppression.numberKey) : undefined;
      const contact = contacts.get(suppression.number);
      return state
        ? [{ suppression, state, ...(confirmation && { confirmation }), ...(contact && { contact }) }]
        : [];
    });
  }
}
