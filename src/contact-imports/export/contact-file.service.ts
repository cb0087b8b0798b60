import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../../auth/account-scope';
import { AccountTurns } from '../../auth/limits/account-turns.service';
import { decodeContactCursor } from '../../contacts/store/contact-cursor';
import { type ContactFilter, type ContactPage, ContactPages } from '../../contacts/contact-pages.service';
import type { Contact } from '../../contacts/store/contact.schema';
import { collectColumns, contactCsv } from './contact-csv';

const PAGE_SIZE = 500;

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
    const doPart = this.turns.parts(account);
    do {
      const after = cursor === null ? undefined : (decodeContactCursor(cursor) ?? undefined);
      const query = { filter, limit: PAGE_SIZE, after };
      const page: ContactPage = await doPart(() => this.pages.list(account, query));
      yield* page.contacts;
      cursor = page.nextCursor;
    } while (cursor !== null);
  }
}
