import { Controller, Get, Query, Res, type StreamableFile } from '@nestjs/common';
import { ApiTags, OmitType } from '@nestjs/swagger';
import { type AuthenticatedAccount, CurrentAccount } from '../../auth/account-scope';
import { AuthService } from '../../auth/authentication/auth.service';
import { LimitsConcurrency } from '../../auth/http/concurrency.interceptor';
import { Clock } from '../../common/clock';
import { ApiEndpoint, ApiErrors, ApiFieldError, ApiFile } from '../../common/http/openapi-decorators';
import type { PlatformResponse } from '../../common/http/connections/raw-http';
import { streamFile } from '../../common/http/responses/file-stream';
import { parseContactQuery } from '../../contacts/http/contact-query';
import { ContactListRequest } from '../../contacts/http/contact.request';
import { ListNotFound } from '../../contacts/store/contact.errors';
import { TooManyFieldNames } from '../export/contact-csv';
import { ContactFile } from '../export/contact-file.service';

export class ContactExportRequest extends OmitType(ContactListRequest, ['cursor', 'limit']) {}

@ApiTags('Contacts')
@Controller('gateway/contacts')
export class ContactExportController {
  constructor(
    private readonly file: ContactFile,
    private readonly auth: AuthService,
    private readonly clock: Clock,
  ) {}

  @LimitsConcurrency('exports', 2)
  @Get('export')
  @ApiEndpoint(
    'exportContacts',
    'Export contacts as CSV',
    'Writes all contacts that the filters of the list select, in the form in which they are imported: imported again, they change nothing. UTF-8 with a byte order mark, commas, CRLF. A text that a spreadsheet would take for a formula begins with an apostrophe; phone numbers keep their +. If the export fails midway, the connection breaks: a response that ends is complete.',
  )
  @ApiFile('text/csv', 'The contacts, one per line, after a line with the names of the columns')
  @ApiFieldError('listId', 'is not a valid id')
  @ApiErrors(ListNotFound, TooManyFieldNames)
  export(
    @CurrentAccount() account: AuthenticatedAccount,
    @Query() request: ContactExportRequest,
    @Res({ passthrough: true }) response: PlatformResponse,
  ): Promise<StreamableFile> {
    const { filter } = parseContactQuery(request);
    const day = this.clock.now().toISOString().slice(0, 10);
    const file = { name: `contacts-${day}.csv`, type: 'text/csv; charset=utf-8' };
    return streamFile(this.auth.whileValid(account, this.file.write(account, filter)), file, response);
  }
}
