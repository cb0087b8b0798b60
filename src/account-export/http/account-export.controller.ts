import { Controller, Get, Res, type StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type AuthenticatedAccount, CurrentAccount } from '../../auth/account-scope';
import { AuthService } from '../../auth/authentication/auth.service';
import { SessionRequired } from '../../auth/http/route-access.decorators';
import { LimitsConcurrency } from '../../auth/http/concurrency.interceptor';
import { Clock } from '../../common/clock';
import { ApiEndpoint, ApiFile } from '../../common/http/openapi-decorators';
import type { PlatformResponse } from '../../common/http/connections/raw-http';
import { streamFile } from '../../common/http/responses/file-stream';
import { AccountRecords, type ExportedRecord } from '../account-records.service';
import { ContactExport } from '../contact-export.service';
import { ConsentExport } from '../consent-export.service';
import { GatewayRecords } from '../gateway-records.service';

@ApiTags('Account')
@Controller('auth/account')
export class AccountExportController {
  constructor(
    private readonly own: AccountRecords,
    private readonly consent: ConsentExport,
    private readonly contacts: ContactExport,
    private readonly gateway: GatewayRecords,
    private readonly auth: AuthService,
    private readonly clock: Clock,
  ) {}

  @LimitsConcurrency('accountExports', 1)
  @Get('export')
  @SessionRequired()
  @ApiEndpoint(
    'exportAccount',
    'Export all data of the account',
    'JSON Lines: one object `{type, data}` per line, where `data` is what the API answers, without secrets. Types: account, subscription, session, apiKey, notices, webhook, list, contact, import, consentSettings, suppression, consent, device, sim, pool, loopTest, batch, message, and at last end with the number of records. A file without end is incomplete.',
  )
  @ApiFile('application/x-ndjson', 'The records of the account')
  export(
    @CurrentAccount() account: AuthenticatedAccount,
    @Res({ passthrough: true }) response: PlatformResponse,
  ): Promise<StreamableFile> {
    const day = this.clock.now().toISOString().slice(0, 10);
    const file = { name: `account-${day}.jsonl`, type: 'application/x-ndjson; charset=utf-8' };
    return streamFile(toLines(this.auth.whileValid(account, this.records(account))), file, response);
  }

  private async *records(account: AuthenticatedAccount): AsyncGenerator<ExportedRecord> {
    yield* this.own.of(account);
    yield* this.contacts.of(account);
    yield* this.consent.of(account);
    yield* this.gateway.of(account);
  }
}

async function* toLines(records: AsyncIterable<ExportedRecord>): AsyncGenerator<string> {
  const toLine = (record: ExportedRecord) => `${JSON.stringify(record)}\n`;
  let count = 0;
  for await (const record of records) {
    yield toLine(record);
    count += 1;
  }
  yield toLine({ type: 'end', data: { records: count } });
}
