import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../auth/account-scope';
import { Clock } from '../common/clock';
import { KeyedQueue } from '../common/keyed-queue';
import type { Country } from '../common/peer-number';
import { AccountCountries } from '../devices/account-countries.service';
import { LiveHints } from '../infrastructure/live/live-hints';
import { ContactBusy, ContactNotFound, ContactNumberTaken } from './store/contact.errors';
import { changedContent, type ContactInput, EMPTY_CONTACT } from './store/contact-input';
import type { Contact, ContactContent } from './store/contact.schema';
import { contentOf, ContactsRepository, newContact } from './store/contacts.repository';

/** Each failed attempt means that another request has changed the contact. */
const MAX_ATTEMPTS = 20;

/** The contacts of an account. */
@Injectable()
export class ContactsService {
  private readonly changes = new KeyedQueue();

  constructor(
    private readonly contacts: ContactsRepository,
    private readonly countries: AccountCountries,
    private readonly hints: LiveHints,
    private readonly clock: Clock,
  ) {}

  /** @throws ContactNotFound */
  async get(account: AccountScope, id: Types.ObjectId): Promise<Contact> {
    const found = await this.contacts.find(account, id);
    if (!found) throw new ContactNotFound();
    return found;
  }

  /** @throws ValidationFailed, ContactNumberTaken, ContactBusy */
  async create(account: AccountScope, input: ContactInput): Promise<Contact> {
    const content = changedContent(EMPTY_CONTACT, input, await this.countryFor(account, input));
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const contact = newContact(account, content, this.clock.now());
      if (await this.contacts.insert(contact)) {
        this.hints.publish(account, 'contact', [contact._id]);
        return contact;
      }
      // If nobody has the number any more, its contact was deleted meanwhile.
      await this.assertFree(account, content);
    }
    throw new ContactBusy();
  }

  /** Changes what is given. @throws ContactNotFound, ValidationFailed, ContactNumberTaken, ContactBusy */
  async update(account: AccountScope, id: Types.ObjectId, input: ContactInput): Promise<Contact> {
    const country = await this.countryFor(account, input);
    return this.change(account, id, (before) => changedContent(before, input, country));
  }

  /**
   * Changes the content of a contact, again if another request has changed it meanwhile.
   * @throws ContactNotFound, ContactNumberTaken, ContactBusy, and what `change` throws.
   */
  async change(
    account: AccountScope,
    id: Types.ObjectId,
    change: (before: ContactContent) => ContactContent,
  ): Promise<Contact> {
    return this.changes.run(id.toHexString(), async () => {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const before = await this.get(account, id);
        const content = change(contentOf(before));
        const replaced = await this.contacts.replace(before, content, this.clock.now());
        if (replaced === 'taken') await this.assertFree(account, content, id);
        else if (replaced) {
          this.hints.publish(account, 'contact', [id]);
          return this.get(account, id);
        }
      }
      throw new ContactBusy();
    });
  }

  /** @throws ContactNotFound */
  async remove(account: AccountScope, id: Types.ObjectId): Promise<void> {
    if (!(await this.contacts.remove(account, id))) throw new ContactNotFound();
    this.hints.publish(account, 'contact', [id]);
  }

  /** @throws ContactNumberTaken if another contact has one of the numbers. */
  private async assertFree(
    account: AccountScope,
    { numbers }: ContactContent,
    self?: Types.ObjectId,
  ): Promise<void> {
    const owners = await this.contacts.findNames(
      account,
      numbers.map(({ peerNumber }) => peerNumber),
    );
    for (const [index, { number, peerNumber }] of numbers.entries()) {
      const owner = owners.find(
        ({ _id, peerNumbers }) => peerNumbers.includes(peerNumber) && !self?.equals(_id),
      );
      if (owner) throw new ContactNumberTaken(`numbers.${index}.number`, number, owner);
    }
  }

  /** Where the numbers of an input are dialled: in the default country of the account, else in that of its first SIM. */
  private async countryFor(
    account: AccountScope,
    { numbers = [] }: ContactInput,
  ): Promise<Country | undefined> {
    const [country] = await this.countries.listFor(
      account,
      numbers.map(({ number }) => number),
    );
    return country;
  }
}
