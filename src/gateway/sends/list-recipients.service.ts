import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../../auth/account-scope';
import { FieldErrors } from '../../common/errors';
import { INVALID_ID, parseId } from '../../common/http/requests/id.pipe';
import { peerNumber } from '../../common/peer-number';
import { mapInSlices } from '../../common/slices';
import { ContactPagesRepository, type Recipient } from '../../contacts/store/contact-pages.repository';
import { ContactListsRepository } from '../../contacts/lists/contact-lists.repository';
import { membersOf } from '../../contacts/lists/members-of';
import { AccountCountries } from '../../devices/account-countries.service';
import { readRecipient } from '../send-input/read-recipient';
import type { SendEntryInput, SendInput } from '../send-input/send-input';
import { MAX_RECIPIENTS } from '../send-input/send-limits';
import { entryField } from '../send-input/send-validation';

/** Lists that one send may name. */
const MAX_LISTS = 20;

/** Whether a send names a list in place of recipients. */
export const namesList = ({ entries }: SendInput): boolean =>
  entries.some(({ listId }) => listId !== undefined);

/** Finds the recipients of sends to lists. */
@Injectable()
export class ListRecipients {
  constructor(
    private readonly lists: ContactListsRepository,
    private readonly contacts: ContactPagesRepository,
    private readonly countries: AccountCountries,
  ) {}

  /**
   * Adds the primary numbers of the members of the lists that a send names, as they are now, each once.
   * @returns the send as it is if it names none.
   * @throws ValidationFailed that names `listId`: a list that is unknown, empty or too large, beside recipients, or of contacts without a
   * phone number that are not to be left out.
   */
  async resolve(account: AccountScope, input: SendInput): Promise<SendInput> {
    if (!namesList(input)) return input;
    const errors = new FieldErrors();
    const known = new Map<string, readonly string[] | string>();
    let total = 0;
    const entries: SendEntryInput[] = [];
    for (const [index, entry] of input.entries.entries()) {
      const { listId } = entry;
      if (listId === undefined) {
        entries.push(entry);
        continue;
      }
      const report = (problem: string) => {
        errors.add(entryField(input, index, 'listId'), problem);
      };
      if (entry.recipients?.length || entry.receivers?.length) {
        report('must be omitted if recipients are given');
        continue;
      }
      const numbers = known.get(listId) ?? (await this.readNumbers(account, input, listId, known.size));
      known.set(listId, numbers);
      if (typeof numbers === 'string') report(numbers);
      else {
        total += numbers.length;
        if (total > MAX_RECIPIENTS) report(TOO_MANY);
        entries.push({ ...entry, recipients: numbers });
      }
      if (total > MAX_RECIPIENTS) break;
    }
    errors.throwIfAny();
    return { ...input, entries };
  }

  /** @returns the numbers of a list, or what is wrong with it. */
  private async readNumbers(
    account: AccountScope,
    { options }: SendInput,
    listId: string,
    others: number,
  ): Promise<readonly string[] | string> {
    if (others >= MAX_LISTS) return `must not be of more than ${MAX_LISTS} lists in one request`;
    const id = parseId(listId);
    if (!id) return INVALID_ID;
    const list = await this.lists.find(account, id);
    if (!list) return 'is not a list of the account';
    const members = await this.contacts.listRecipients(account, membersOf(list), MAX_RECIPIENTS + 1);
    if (members.length > MAX_RECIPIENTS) return TOO_MANY;
    if (members.length === 0) return 'is that of a list without members';
    const numbers = await this.numbersOf(account, members);
    if (options?.onInvalidNumber === 'skip') return numbers;
    const unreadable = numbers.filter((number) => readRecipient(number).number === undefined);
    return unreadable.length > 0 ? noPhoneNumbers(unreadable) : numbers;
  }

  private async numbersOf(account: AccountScope, members: readonly Recipient[]): Promise<string[]> {
    const numbers = await mapInSlices(members, ({ numbers: [primary] }) => {
      const { number = '', peerNumber: comparable = '' } = primary ?? {};
      return comparable.startsWith('+') ? comparable : number;
    });
    // Those that were stored before a country was known.
    const unread = numbers.filter((number) => !number.startsWith('+'));
    const [country] = await this.countries.listFor(account, unread);
    return [...new Map(numbers.map((number) => [peerNumber(number, country), number])).values()];
  }
}

const noPhoneNumbers = ([first = '', ...others]: readonly string[]): string =>
  `is that of a list in which the first number of a contact is no phone number: ${JSON.stringify(first)}${others.length > 0 ? `, and ${others.length} more` : ''}; correct it, or leave it out with onInvalidNumber`;

const TOO_MANY = `must not be of more than ${MAX_RECIPIENTS} recipients in one request`;
