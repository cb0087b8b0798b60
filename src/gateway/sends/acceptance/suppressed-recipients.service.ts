import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../../../auth/account-scope';
import { AccountTurns } from '../../../auth/limits/account-turns.service';
import { Clock } from '../../../common/clock';
import { nextTurn } from '../../../common/slices';
import { NumberKeys } from '../../../consent/numbers/number-keys.service';
import { findStopping } from '../../../consent/suppressions/suppression-rules';
import type { Suppression } from '../../../consent/suppressions/suppression.schema';
import { SuppressionsRepository } from '../../../consent/suppressions/suppressions.repository';
import { entryField } from '../../send-input/send-validation';
import { RecipientSuppressed } from '../../send-input/send.errors';
import type { PreparedSend } from './prepared-send';
import { recipientNumber } from '../plan/recipient-number';

/** Most sends have a first recipient who may be written to, so that one number is read; the rest of the others in a few queries. */
const MAX_NUMBERS_PER_READ = 200;

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
    private readonly turns: AccountTurns,
    private readonly clock: Clock,
  ) {}

  /** @throws RecipientSuppressed if the account has consent and all recipients are blocked. */
  async assertAnyAllowed(account: AccountScope, send: CheckedSend): Promise<void> {
    const stopping: Suppression[] = [];
    for await (const blocks of this.groupsOfBlocks(account, send)) {
      for (const block of blocks) {
        if (!block) return;
        stopping.push(block);
      }
    }
    refuse(send, stopping);
  }

  /**
   * Counts the messages to blocked recipients, of the whole send.
   * @throws RecipientSuppressed if the account has consent and all recipients are blocked.
   */
  async count(account: AccountScope, send: CheckedSend): Promise<number> {
    const stopping: Suppression[] = [];
    let isAnyAllowed = false;
    for await (const blocks of this.groupsOfBlocks(account, send)) {
      for (const block of blocks) {
        if (block) stopping.push(block);
        else isAnyAllowed = true;
      }
    }
    if (!isAnyAllowed) refuse(send, stopping);
    return stopping.length;
  }

  /** What stops each recipient, in their order; nothing for an account without consent. */
  private async *groupsOfBlocks(
    account: AccountScope,
    send: CheckedSend,
  ): AsyncGenerator<(Suppression | undefined)[]> {
    if (!send.checksConsent) return;
    const doPart = this.turns.parts(account);
    for (const numbers of groupsOfNumbers(send)) {
      const find = () => this.findBlocks(account, numbers, send);
      // A small send does not wait for the long work of its account.
      yield await (numbers.length < MAX_NUMBERS_PER_READ ? find() : doPart(find));
      await nextTurn();
    }
  }

  private async findBlocks(
    account: AccountScope,
    numbers: readonly string[],
    { request }: CheckedSend,
  ): Promise<(Suppression | undefined)[]> {
    const keys = await this.keys.keysOf(account, numbers);
    const blocks = await this.suppressions.findOfNumbers(account, keys);
    const now = this.clock.now();
    return keys.map((key) => findStopping(blocks.get(key) ?? [], request, now));
  }
}

function refuse({ input }: CheckedSend, stopping: readonly Suppression[]): void {
  const [first] = stopping;
  if (first) throw new RecipientSuppressed(entryField(input, 0, 'recipients'), first, stopping.length);
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
