import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../auth/account-scope';
import { toConsentRecordResponse } from '../consent/records/http/consent-record.response';
import { ConsentRecords } from '../consent/records/consent-records.service';
import { toConsentSettingsResponse } from '../consent/settings/http/consent-settings.response';
import { ConsentSettingsService } from '../consent/settings/consent-settings.service';
import { toSuppressionResponse } from '../gateway/suppressions/http/suppression.response';
import { Suppressions } from '../gateway/suppressions/suppressions.service';
import { decodeCursor } from '../messages/lists/message-cursor';
import { type ExportedRecord, toRecords } from './account-records.service';

const ENTRIES_PER_PAGE = 500;

interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** The records of who wants no more messages of an account. */
@Injectable()
export class ConsentExport {
  constructor(
    private readonly settings: ConsentSettingsService,
    private readonly suppressions: Suppressions,
    private readonly records: ConsentRecords,
  ) {}

  async *of(account: AccountScope): AsyncGenerator<ExportedRecord> {
    yield* toRecords('consentSettings', [await this.settings.get(account)], toConsentSettingsResponse);
    const suppressions = pagesOf(async (place) => {
      const { suppressions: items, nextCursor } = await this.suppressions.list(account, place);
      return { items, nextCursor };
    });
    for await (const page of suppressions) yield* toRecords('suppression', page, toSuppressionResponse);
    const records = pagesOf(async (place) => {
      const { records: items, nextCursor } = await this.records.list(account, place);
      return { items, nextCursor };
    });
    for await (const page of records) yield* toRecords('consent', page, toConsentRecordResponse);
  }
}

async function* pagesOf<Item>(
  read: (place: {
    readonly limit: number;
    readonly after?: NonNullable<ReturnType<typeof decodeCursor>>;
  }) => Promise<Page<Item>>,
): AsyncGenerator<readonly Item[]> {
  let cursor: string | null = null;
  do {
    const after = cursor === null ? null : decodeCursor(cursor);
    const page: Page<Item> = await read({ limit: ENTRIES_PER_PAGE, ...(after && { after }) });
    yield page.items;
    cursor = page.nextCursor;
  } while (cursor !== null);
}
