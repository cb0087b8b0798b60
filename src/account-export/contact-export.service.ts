import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../auth/account-scope';
import { decodeContactCursor } from '../contacts/contact-cursor';
import { ContactPages } from '../contacts/contact-pages.service';
import { toContactResponse } from '../contacts/http/contact.response';
import { ContactLists } from '../contacts/lists/contact-lists.service';
import { toListResponse } from '../contacts/lists/http/list.response';
import { type ExportedRecord, toRecords } from './account-records.service';

const CONTACTS_PER_PAGE = 100;

/** The records of the people that an account writes to. */
@Injectable()
export class ContactExport {
  constructor(
    private readonly lists: ContactLists,
    private readonly pages: ContactPages,
  ) {}

  async *of(account: AccountScope): AsyncGenerator<ExportedRecord> {
    yield* toRecords('list', await this.lists.list(account), toListResponse);
    let cursor: string | null = null;
    do {
      const after = cursor === null ? undefined : (decodeContactCursor(cursor) ?? undefined);
      const query = { filter: {}, limit: CONTACTS_PER_PAGE, after };
      const { contacts, nextCursor } = await this.pages.list(account, query);
      yield* toRecords('contact', contacts, toContactResponse);
      cursor = nextCursor;
    } while (cursor !== null);
  }
}
