import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../auth/account-scope';
import { readings } from '../common/peer-number';
import { typedDigits } from '../common/phone-number';
import { AccountCountries } from '../devices/account-countries.service';
import { type ContactPosition, encodeContactCursor } from './contact-cursor';
import { type ContactCondition, ContactPagesRepository } from './contact-pages.repository';
import { fieldKey, searchWords, tagKey } from './contact-terms';
import type { Contact, ContactField } from './contact.schema';
import { ListNotFound } from './contact.errors';
import { ContactListsRepository } from './lists/contact-lists.repository';
import { membersOf } from './lists/members-of';

/** Which contacts to list; an absent field does not filter. */
export interface ContactFilter {
  /** The beginning of words of the name, or of a number. */
  readonly search?: string;
  /** In any spelling. */
  readonly number?: string;
  readonly tag?: string;
  readonly field?: ContactField;
  readonly listId?: Types.ObjectId;
}

export interface ContactQuery {
  readonly filter: ContactFilter;
  readonly limit: number;
  readonly after?: ContactPosition;
}

export interface ContactPage {
  readonly contacts: readonly Contact[];
  readonly nextCursor: string | null;
}

/** Lists the contacts of an account by name. */
@Injectable()
export class ContactPages {
  constructor(
    private readonly pages: ContactPagesRepository,
    private readonly lists: ContactListsRepository,
    private readonly countries: AccountCountries,
  ) {}

  /** @throws ListNotFound */
  async list(account: AccountScope, { filter, limit, after }: ContactQuery): Promise<ContactPage> {
    const condition = await this.conditionOf(account, filter);
    const found = condition ? await this.pages.list(account, condition, after, limit + 1) : [];
    const contacts = found.slice(0, limit);
    const last = contacts.at(-1);
    return { contacts, nextCursor: found.length > limit && last ? encodeContactCursor(last) : null };
  }

  /** The comparable numbers of contacts that a search finds, of the first contacts by name. */
  async findNumbers(account: AccountScope, search: string, limit: number): Promise<string[]> {
    const { contacts } = await this.list(account, { filter: { search }, limit });
    return contacts.flatMap(({ peerNumbers }) => peerNumbers);
  }

  /** @returns null if nothing can meet it. */
  private async conditionOf(account: AccountScope, filter: ContactFilter): Promise<ContactCondition | null> {
    const { search, number, tag, field, listId } = filter;
    const countries = await this.countries.listFor(account, [search, number]);
    const list = listId && (await this.lists.find(account, listId));
    if (list === null) throw new ListNotFound();
    const typed = search === undefined ? null : typedDigits(search);
    const words =
      search === undefined
        ? undefined
        : searchWords(search, typed, typed === null ? [] : readings(typed, countries));
    // Only punctuation.
    if (words?.length === 0) return null;
    const members = list ? membersOf(list) : {};
    const tagKeys = [...(members.tagKeys ?? []), ...(tag === undefined ? [] : [tagKey(tag)])];
    const fieldKeys = [...(members.fieldKeys ?? []), ...(field ? [fieldKey(field)] : [])];
    return {
      ...(members.list && { list: members.list }),
      ...(words && { words }),
      ...(number !== undefined && { peerNumbers: readings(number, countries) }),
      ...(tagKeys.length > 0 && { tagKeys }),
      ...(fieldKeys.length > 0 && { fieldKeys }),
    };
  }
}
