import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { nextTurn } from '../../common/slices';
import { NumberKeys } from '../../consent/numbers/number-keys.service';
import { findStopping } from '../../consent/suppressions/suppression-rules';
import type { Suppression } from '../../consent/suppressions/suppression.schema';
import { SuppressionsRepository } from '../../consent/suppressions/suppressions.repository';
import { entryField } from '../send-input/send-validation';
import { RecipientSuppressed } from '../send-input/send.errors';
import type { PreparedSend } from './prepared-send';
import { recipientNumber } from './plan/recipient-number';

/** Most sends have a first recipient who may be written to, so that one number is read; the rest of the others in a few queries. */
const MAX_NUMBERS_PER_READ = 1_000;

type CheckedSend = Pick<
  PreparedSend,
  'input' | 'request' | 'assignment' | 'defaultCountry' | 'checksConsent'
>;

/** Refuses sends of which no message would leave. In others, messages to blocked numbers fail when they are due. */
@Injectable()
export class SuppressedRecipients {
  constructor(
    private readonly keys: NumberKeys,
    private readonly suppressions: SuppressionsRepository,
    private readonly clock: Clock,
  ) {}

  /** @throws RecipientSuppressed if the account has consent and all recipients are blocked. */
  async assertAnyAllowed(account: AccountScope, send: CheckedSend): Promise<void> {
    if (!send.checksConsent) return;
    let first: Suppression | undefined;
    let count = 0;
    for (const numbers of groupsOfNumbers(send)) {
      const keys = await this.keys.keysOf(account, numbers);
      const blocks = await this.suppressions.findOfNumbers(account, keys);
      const now = this.clock.now();
      for (const key of keys) {
        const stopping = findStopping(blocks.get(key) ?? [], send.request, now);
        if (!stopping) return;
        first ??= stopping;
      }
      count += numbers.length;
      await nextTurn();
    }
    if (first) throw new RecipientSuppressed(entryField(send.input, 0, 'recipients'), first, count);
  }
}

/** The recipients in comparable form: the first one, then the others in groups. */
function* groupsOfNumbers(send: CheckedSend): Generator<string[]> {
  const { request, assignment } = send;
  let group: string[] = [];
  let size = 1;
  for (const entry of request.entries) {
    for (const [index, recipient] of entry.recipients.entries()) {
      const sender = assignment.senderOf(entry, index);
      group.push(recipientNumber(send, { recipient, entry, sender }));
      if (group.length < size) continue;
      yield group;
      group = [];
      size = MAX_NUMBERS_PER_READ;
    }
  }
  if (group.length > 0) yield group;
}
