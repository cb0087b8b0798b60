import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import type { ContactInput } from '../../contacts/store/contact-input';
import { ContactPages } from '../../contacts/contact-pages.service';
import type { Contact } from '../../contacts/store/contact.schema';
import { type ContactName, ContactsRepository } from '../../contacts/store/contacts.repository';
import { ContactsService } from '../../contacts/contacts.service';
import type { Conversation } from './conversation.schema';
import { ConversationsRepository } from './conversations.repository';

/** Contacts whose conversations a search finds by their names. */
const MAX_CONTACTS_FOUND = 200;

/** Whose the numbers of conversations are. */
@Injectable()
export class ConversationContacts {
  constructor(
    private readonly contacts: ContactsService,
    private readonly records: ContactsRepository,
    private readonly pages: ContactPages,
    private readonly conversations: ConversationsRepository,
    private readonly clock: Clock,
  ) {}

  /** The contacts of conversations by their numbers. */
  async byNumber(
    account: AccountScope,
    conversations: readonly Pick<Conversation, 'number'>[],
  ): Promise<ReadonlyMap<string, ContactName>> {
    if (conversations.length === 0) return new Map();
    const contacts = await this.records.findNames(
      account,
      conversations.map(({ number }) => number),
    );
    return new Map(
      contacts.flatMap((contact) => contact.peerNumbers.map((number) => [number, contact] as const)),
    );
  }

  /** The numbers of contacts whose names match a search: of the first 200. */
  numbersMatching(account: AccountScope, search: string): Promise<string[]> {
    return this.pages.findNumbers(account, search, MAX_CONTACTS_FOUND);
  }

  /**
   * Creates a contact with the number of a conversation, whose note becomes one of the contact.
   * @throws ValidationFailed, ContactNumberTaken, ContactBusy
   */
  async create(
    account: AccountScope,
    { number, note }: Pick<Conversation, 'number' | 'note'>,
    input: Omit<ContactInput, 'numbers'>,
  ): Promise<Contact> {
    const notes = [note, input.notes].filter(Boolean).join('\n\n');
    const contact = await this.contacts.create(account, { ...input, numbers: [{ number }], notes });
    if (note) await this.conversations.removeNote(account, number, note, this.clock.now());
    return contact;
  }
}
