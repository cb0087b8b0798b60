import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../auth/account-scope';
import { Clock } from '../common/clock';
import { distinctIds } from '../common/documents';
import { ValidationFailed } from '../common/errors';
import { KeyedQueue } from '../common/keyed-queue';
import { LiveHints } from '../infrastructure/live/live-hints';
import { ContactBusy, ContactNotFound } from './store/contact.errors';
import { assertWithinLimits, distinctTags } from './store/contact-input';
import { MAX_NOTES_LENGTH } from './store/contact-limits';
import type { Contact, ContactContent } from './store/contact.schema';
import { contentOf, ContactsRepository } from './store/contacts.repository';

const MAX_ATTEMPTS = 20;

const RECOVERED_AT_ONCE = 200;

/**
 * Merges contacts. The source is hidden, the target gets its content, and the source is removed, in this order: a merge that was
 * interrupted is completed by repeating it, and by a maintenance job at the latest.
 */
@Injectable()
export class ContactMerge {
  private readonly merges = new KeyedQueue();

  constructor(
    private readonly contacts: ContactsRepository,
    private readonly hints: LiveHints,
    private readonly clock: Clock,
  ) {}

  /**
   * Merges a contact into another one: numbers, tags, lists and notes of both, fields of the source that the target does not have.
   * Repeatable.
   * @returns the target.
   * @throws ContactNotFound, ValidationFailed, ContactBusy
   */
  async merge(account: AccountScope, targetId: Types.ObjectId, sourceId: Types.ObjectId): Promise<Contact> {
    if (targetId.equals(sourceId)) throw ValidationFailed.of('contactId', 'must be another contact');
    return this.merges.run(account.user.toHexString(), async () => {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const [target, source] = await Promise.all([
          this.contacts.findAny(account, targetId),
          this.contacts.findAny(account, sourceId),
        ]);
        if (!target) throw new ContactNotFound();
        if (target.mergedInto) {
          if (await this.recover(account, target)) continue;
          throw new ContactNotFound();
        }
        if (hasAbsorbed(target, sourceId)) {
          if (source) await this.contacts.removeMerged(account, sourceId);
          if (!source || source.mergedInto) return target;
        }
        if (!source || (source.mergedInto && !source.mergedInto.equals(targetId)))
          throw ValidationFailed.of('contactId', 'is not a contact of the account');
        await this.absorb(account, target, source);
      }
      throw new ContactBusy();
    });
  }

  /** Completes the merges that were interrupted. Safe to run in several processes at the same time. */
  async recoverAll(account: AccountScope): Promise<void> {
    for (const hidden of await this.contacts.listHidden(account, RECOVERED_AT_ONCE))
      await this.recover(account, hidden);
  }

  /** @returns whether the contact is shown again. */
  private async recover(account: AccountScope, hidden: Contact): Promise<boolean> {
    const { mergedInto, merged } = hidden;
    const target = mergedInto && (await this.contacts.findAny(account, mergedInto));
    if (!merged) return false;
    if (target && hasAbsorbed(target, hidden._id)) {
      await this.contacts.removeMerged(account, hidden._id);
      return false;
    }
    if (target && !target.mergedInto) {
      await this.absorb(account, target, hidden);
      return false;
    }
    // Its target is gone, or is being merged as well, such as into this one.
    return (await this.replaceFree(account, hidden, merged)) === true;
  }

  /** One attempt: the caller reads both again. */
  private async absorb(account: AccountScope, target: Contact, source: Contact): Promise<void> {
    const added = source.merged ?? contentOf(source);
    const content = joined(contentOf(target), added);
    assertWithinLimits(content);
    const merged = await this.contacts.merge(target, source, content, this.clock.now());
    if (merged === 'taken' && source.mergedInto) {
      const numbers = await this.freeNumbers(account, content, target._id);
      await this.contacts.merge(target, source, { ...content, numbers }, this.clock.now());
    }
    this.hints.publish(account, 'contact', [target._id, source._id]);
  }

  private async replaceFree(
    account: AccountScope,
    hidden: Contact,
    content: ContactContent,
  ): Promise<boolean | 'taken'> {
    const numbers = await this.freeNumbers(account, content, hidden._id);
    return this.contacts.replace(hidden, { ...content, numbers }, this.clock.now());
  }

  /** The numbers that no other contact has taken while they were free. */
  private async freeNumbers(account: AccountScope, { numbers }: ContactContent, self: Types.ObjectId) {
    const owners = await this.contacts.findNames(
      account,
      numbers.map(({ peerNumber }) => peerNumber),
    );
    const taken = new Set(owners.flatMap(({ _id, peerNumbers }) => (_id.equals(self) ? [] : peerNumbers)));
    return numbers.filter(({ peerNumber }) => !taken.has(peerNumber));
  }
}

const hasAbsorbed = ({ absorbed = [] }: Contact, id: Types.ObjectId): boolean =>
  absorbed.some((each) => each.equals(id));

function joined(target: ContactContent, source: ContactContent): ContactContent {
  const known = new Set(target.fields.map(({ name }) => name));
  const numbers = new Set(target.numbers.map(({ peerNumber }) => peerNumber));
  const notes = [...new Set([target.notes, source.notes])].filter(Boolean).join('\n\n');
  const language = target.language ?? source.language;
  if (notes.length > MAX_NOTES_LENGTH)
    throw ValidationFailed.of(
      'contactId',
      `has notes that are too long together with those of the contact: at most ${MAX_NOTES_LENGTH} characters`,
    );
  return {
    name: target.name || source.name,
    numbers: [...target.numbers, ...source.numbers.filter(({ peerNumber }) => !numbers.has(peerNumber))],
    fields: [...target.fields, ...source.fields.filter(({ name }) => !known.has(name))],
    tags: distinctTags([...target.tags, ...source.tags]),
    ...(notes && { notes }),
    ...(language && { language }),
    lists: distinctIds([...target.lists, ...source.lists]),
  };
}
