import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../auth/account-scope';
import { readings } from '../common/peer-number';
import { typedDigits } from '../common/phone-number';
import { AccountCountries } from '../devices/account-countries.service';
import { type ContactPosition, encodeContactCursor } from './store/contact-cursor';
import { type ContactCondition, ContactPagesRepository } from './store/contact-pages.repository';
import { charactersOf, fieldKey, searchWords, tagKey } from './store/contact-terms';
import type { Contact, ContactField } from './store/contact.schema';
import { ListNotFound } from './store/contact.errors';
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

const MAX_PAGE_CHARACTERS = 200_000;
const MAX_PART_CHARACTERS = 100_000;
const FIRST_PART = 10;

/** Lists the contacts of an account by name. */
@Injectable()
export class ContactPages {
  constructor(
    private readonly pages: ContactPagesRepository,
    private readonly lists: ContactListsRepository,
    private readonly countries: AccountCountries,
  ) {}

  /**
   * Lists contacts from the database in small parts, because one can have 35 kB. A page ends before its limit when it is large.
   * @throws ListNotFound
   */
  async list(account: AccountScope, { filter, limit, after }: ContactQuery): Promise<ContactPage> {
    const condition = await this.conditionOf(account, filter);
    const contacts: Contact[] = [];
    if (!condition) return { contacts, nextCursor: null };
    let characters = 0;
    for (;;) {
      const wanted = Math.min(limit + 1 - contacts.length, partSize(contacts.length, characters));
      const part = await this.pages.list(account, condition, contacts.at(-1) ?? after, wanted);
      for (const contact of part) {
        const last = contacts.at(-1);
        if (last && (contacts.length === limit || characters >= MAX_PAGE_CHARACTERS))
          return { contacts, nextCursor: encodeContactCursor(last) };
        contacts.push(contact);
        characters += charactersOf(contact);
      }
      if (part.length < wanted) return { contacts, nextCursor: null };
    }
  }

  /** The comparable numbers of contacts that a search finds, of the first contacts by name. */
  async findNumbers(account: AccountScope, search: string, limit: number): Promise<string[]> {
    const condition = await this.conditionOf(account, { search });
    return condition ? this.pages.searchNumbers(account, condition, limit) : [];
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

/** As many contacts as fit if they are as large as those before. */
function partSize(count: number, characters: number): number {
  if (count === 0) return FIRST_PART;
  return Math.max(FIRST_PART, Math.floor((MAX_PART_CHARACTERS * count) / Math.max(1, characters)));
}
