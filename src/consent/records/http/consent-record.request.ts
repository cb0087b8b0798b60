import { Cursor, OptionalInteger, OptionalParameter } from '../../../common/http/requests/query-fields';
import { DEFAULT_LIMIT, MAX_PAGE_SIZE } from '../../../messages/lists/message-query';

export class ConsentRecordListRequest {
  @Cursor()
  cursor?: string;

  @OptionalInteger('Entries per page', 1, MAX_PAGE_SIZE, DEFAULT_LIMIT)
  limit?: number;

  @OptionalParameter('Only those of this number, in any spelling', '+447700900123')
  number?: string;
}
