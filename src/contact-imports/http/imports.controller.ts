import { Controller, Delete, Get, Post, Query, Req, Res, type StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { type AccountScope, type AuthenticatedAccount, CurrentAccount } from '../../auth/account-scope';
import { AuthService } from '../../auth/authentication/auth.service';
import { LimitsConcurrency } from '../../auth/http/concurrency.interceptor';
import { IsBodyStreamed } from '../../auth/http/route-access.decorators';
import {
  ApiAccepted,
  ApiCsvBody,
  ApiData,
  ApiDataPage,
  ApiEndpoint,
  ApiErrors,
  ApiFieldError,
  ApiFile,
} from '../../common/http/openapi-decorators';
import {
  type PlatformRequest,
  type PlatformResponse,
  rawRequestOf,
  rawResponseOf,
} from '../../common/http/connections/raw-http';
import { PathId } from '../../common/http/requests/path-id.decorator';
import { readCsvBody } from '../../common/http/requests/streamed-body';
import { Page } from '../../common/http/responses/envelope.interceptor';
import { toListMeta } from '../../common/http/responses/fields';
import { streamFile } from '../../common/http/responses/file-stream';
import { ListIsSegment, ListLimitReached, ListNotFound } from '../../contacts/store/contact.errors';
import { INVALID_CURSOR, parseMessageQuery } from '../../messages/lists/message-query';
import {
  ImportFileUnreadable,
  ImportInterrupted,
  ImportNotFound,
  ImportRunning,
} from '../store/import.errors';
import type { Import } from '../store/import.schema';
import { Imports } from '../imports.service';
import { ContactImportRequest, ImportListRequest, SuppressionImportRequest } from './import.request';
import { ImportListMetaResponse, ImportResponse, toImportResponse } from './import.response';
import { contactImportOptions, suppressionImportOptions } from './read-import-options';
import { refusedCsv } from './refused-csv';

const FILE =
  'A CSV file as spreadsheets and address books write it, of any length with up to 1,000,000 rows: commas, semicolons or tabs, with or without names of columns; or numbers on one line';

@Controller('gateway')
export class ImportsController {
  constructor(
    private readonly imports: Imports,
    private readonly auth: AuthService,
  ) {}

  @Post('contacts/import')
  @IsBodyStreamed(true)
  @ApiTags('Contacts')
  @ApiEndpoint(
    'importContacts',
    'Import contacts',
    'Nothing is imported before the whole file is uploaded. Contacts are found by their numbers: what the file has, replaces; numbers and tags are added; what is empty in the file stays; so the same file twice changes nothing. Rows that cannot be imported are refused, each with its reason; the others are imported. Blocks of numbers stay as they are.',
  )
  @ApiCsvBody(FILE)
  @ApiData(ImportResponse, 'The import, which is done')
  @ApiAccepted(ImportResponse, 'The import, which is not done after ten seconds and goes on')
  @ApiFieldError('column', 'must be name, number, tags or another target')
  @ApiErrors(ImportRunning, ImportFileUnreadable, ImportInterrupted)
  @ApiErrors(ListNotFound, ListIsSegment, ListLimitReached)
  async importContacts(
    @CurrentAccount() account: AccountScope,
    @Query() request: ContactImportRequest,
    @Req() http: PlatformRequest,
    @Res({ passthrough: true }) response: PlatformResponse,
  ): Promise<ImportResponse> {
    const options = contactImportOptions(request);
    const job = await this.imports.start(account, readCsvBody(rawRequestOf(http)), options);
    return this.respond(job, response);
  }

  @Post('suppressions/import')
  @IsBodyStreamed(true)
  @ApiTags('Consent')
  @ApiEndpoint(
    'importSuppressions',
    'Import a list of people who want no messages',
    'Blocks each number of the file, with a record of the file and the line. Blocks that exist stay as they are. Messages that wait for a blocked number fail when they are due.',
  )
  @ApiCsvBody(FILE)
  @ApiData(ImportResponse, 'The import, which is done')
  @ApiAccepted(ImportResponse, 'The import, which is not done after ten seconds and goes on')
  @ApiFieldError('column', 'must be name, number, tags or another target')
  @ApiErrors(ImportRunning, ImportFileUnreadable, ImportInterrupted)
  async importSuppressions(
    @CurrentAccount() account: AccountScope,
    @Query() request: SuppressionImportRequest,
    @Req() http: PlatformRequest,
    @Res({ passthrough: true }) response: PlatformResponse,
  ): Promise<ImportResponse> {
    const options = suppressionImportOptions(request);
    const job = await this.imports.start(account, readCsvBody(rawRequestOf(http)), options);
    return this.respond(job, response);
  }

  @Get('imports')
  @ApiTags('Contacts')
  @ApiEndpoint('listImports', 'List imports', 'The latest first. Imports are kept for 30 days.')
  @ApiDataPage(ImportResponse, ImportListMetaResponse, 'A page of imports')
  @ApiFieldError('cursor', INVALID_CURSOR)
  async list(
    @CurrentAccount() account: AccountScope,
    @Query() { cursor, limit: count }: ImportListRequest,
  ): Promise<Page<ImportResponse, ImportListMetaResponse>> {
    const { limit, start } = parseMessageQuery({ cursor, limit: count });
    const after = 'after' in start ? start.after : undefined;
    const { imports, nextCursor } = await this.imports.list(account, { after, limit });
    return new Page(
      imports.map((job) => toImportResponse(job)),
      toListMeta(limit, nextCursor),
    );
  }

  @Get('imports/:id')
  @ApiTags('Contacts')
  @ApiEndpoint(
    'getImport',
    'Get an import',
    'Its progress, what became of its rows, and the first refused ones.',
  )
  @ApiData(ImportResponse, 'The import')
  @ApiErrors(ImportNotFound)
  async get(
    @CurrentAccount() account: AccountScope,
    @PathId('Id of the import') id: Types.ObjectId,
  ): Promise<ImportResponse> {
    return this.withRefusals(await this.imports.get(account, id));
  }

  @LimitsConcurrency('exports', 2)
  @Get('imports/:id/refused')
  @ApiTags('Contacts')
  @ApiEndpoint(
    'exportRefusedRows',
    'Export the refused rows of an import as CSV',
    'With the line, the column, its value and the reason. A text that a spreadsheet would take for a formula begins with an apostrophe.',
  )
  @ApiFile('text/csv', 'The refused rows, after a line with the names of the columns')
  @ApiErrors(ImportNotFound)
  async refused(
    @CurrentAccount() account: AuthenticatedAccount,
    @PathId('Id of the import') id: Types.ObjectId,
    @Res({ passthrough: true }) response: PlatformResponse,
  ): Promise<StreamableFile> {
    const job = await this.imports.get(account, id);
    const rows = this.auth.whileValid(account, this.imports.readRefused(job));
    const file = { name: `refused-${id.toHexString()}.csv`, type: 'text/csv; charset=utf-8' };
    return streamFile(refusedCsv(rows), file, response);
  }

  @Delete('imports/:id')
  @ApiTags('Contacts')
  @ApiEndpoint(
    'undoImport',
    'Undo an import',
    'Also one in progress. Removes the contacts that it created, unless they have messages or were changed since, and gives those that it changed their values back, unless these were changed since. Lifts the blocks of which it is the only source. The import stays, in the state undone.',
  )
  @ApiData(ImportResponse, 'The import, which is undone')
  @ApiAccepted(ImportResponse, 'The import, whose undo goes on')
  @ApiErrors(ImportNotFound, ImportRunning)
  async undo(
    @CurrentAccount() account: AccountScope,
    @PathId('Id of the import') id: Types.ObjectId,
    @Res({ passthrough: true }) response: PlatformResponse,
  ): Promise<ImportResponse> {
    return this.respond(await this.imports.undo(account, id), response);
  }

  private async respond(job: Import, response: PlatformResponse): Promise<ImportResponse> {
    if (job.open) rawResponseOf(response).statusCode = 202;
    return this.withRefusals(job);
  }

  private async withRefusals(job: Import): Promise<ImportResponse> {
    return toImportResponse(job, await this.imports.listFirstRefused(job));
  }
}
