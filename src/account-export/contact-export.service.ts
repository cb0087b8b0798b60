import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../auth/account-scope';
import { toImportResponse } from '../contact-imports/http/import.response';
import { Imports } from '../contact-imports/imports.service';
import { decodeContactCursor } from '../contacts/store/contact-cursor';
import { ContactPages } from '../contacts/contact-pages.service';
import { toContactResponse } from '../contacts/http/contact.response';
import { ContactLists } from '../contacts/lists/contact-lists.service';
import { toListResponse } from '../contacts/http/list.response';
import { decodeCursor } from '../messages/lists/message-cursor';
import { type ExportedRecord, toRecords } from './account-records.service';

const CONTACTS_PER_PAGE = 100;

/** The records of the people that an account writes to, and of imported files. */
@Injectable()
export class ContactExport {
  constructor(
    private readonly lists: ContactLists,
    private readonly pages: ContactPages,
    private readonly imports: Imports,
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
    yield* this.importsOf(account);
  }

  private async *importsOf(account: AccountScope): AsyncGenerator<ExportedRecord> {
    let cursor: string | null = null;
    do {
      const after = cursor === null ? undefined : (decodeCursor(cursor) ?? undefined);
      const page = await this.imports.list(account, { after, limit: CONTACTS_PER_PAGE });
      yield* toRecords('import', page.imports, (job) => toImportResponse(job));
      cursor = page.nextCursor;
    } while (cursor !== null);
  }
}
