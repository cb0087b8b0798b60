import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../../auth/account-scope';
import { AccountTurns } from '../../auth/limits/account-turns.service';
import { decodeContactCursor } from '../../contacts/contact-cursor';
import { sum } from '../../common/sum';
import { charactersOf } from '../../contacts/contact-terms';
import { type ContactFilter, type ContactPage, ContactPages } from '../../contacts/contact-pages.service';
import type { Contact } from '../../contacts/contact.schema';
import { collectColumns, contactCsv } from './contact-csv';

/** Read from the database at once: in a few milliseconds. */
const MAX_PAGE = { contacts: 500, characters: 100_000 };
const FIRST_PAGE = 5;

/** Writes contacts as CSV. */
@Injectable()
export class ContactFile {
  constructor(
    private readonly pages: ContactPages,
    private readonly turns: AccountTurns,
  ) {}

  /**
   * Reads the contacts twice: the first time for the columns. A field that no contact had then is left out.
   * @throws ListNotFound, TooManyFieldNames
   */
  async *write(account: AccountScope, filter: ContactFilter): AsyncGenerator<string> {
    const columns = await collectColumns(this.read(account, filter));
    yield* contactCsv(this.read(account, filter), columns);
  }

  private async *read(account: AccountScope, filter: ContactFilter): AsyncGenerator<Contact> {
    let cursor: string | null = null;
    let limit = FIRST_PAGE;
    const doPart = this.turns.parts(account);
    do {
      const after = cursor === null ? undefined : (decodeContactCursor(cursor) ?? undefined);
      const query = { filter, limit, after };
      const page: ContactPage = await doPart(() => this.pages.list(account, query));
      yield* page.contacts;
      limit = nextLimit(page.contacts);
      cursor = page.nextCursor;
    } while (cursor !== null);
  }
}

/** As many as fit if the next ones are as large as these. */
function nextLimit(contacts: readonly Contact[]): number {
  const average = Math.max(1, sum(contacts, charactersOf) / Math.max(1, contacts.length));
  return Math.min(MAX_PAGE.contacts, Math.max(FIRST_PAGE, Math.floor(MAX_PAGE.characters / average)));
}
