import { FieldErrors } from '../../../common/errors';
import { INVALID_ID, parseId } from '../../../common/http/requests/id.pipe';
import { parseIsoDateTimeOrDate } from '../../../common/http/requests/iso-date-time';
import {
  Cursor,
  OptionalChoice,
  OptionalInteger,
  OptionalParameter,
} from '../../../common/http/requests/query-fields';
import { decodeCursor } from '../../../messages/lists/message-cursor';
import { MAX_RECIPIENTS } from '../../send-input/send-limits';
import { BATCH_STATES, type BatchState } from '../batch-views.repository';
import type { BatchQuery } from '../batch-views.service';
import { INVALID_BOUND, INVALID_CURSOR } from '../../../messages/lists/message-query';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 50;

export class BatchListRequest {
  @Cursor()
  cursor?: string;

  @OptionalInteger('Batches per page', 1, MAX_LIMIT, DEFAULT_LIMIT)
  limit?: number;

  @OptionalParameter('Only batches with messages of this device', '665f1c2ab7e1d4a9c0f3e812')
  deviceId?: string;

  @OptionalParameter('Only batches of this pool', '665f1c2ab7e1d4a9c0f3e812')
  poolId?: string;

  @OptionalChoice('Only batches that are scheduled for later, or paused', BATCH_STATES)
  state?: BatchState;

  @OptionalInteger('Only batches with so many recipients or more', 1, MAX_RECIPIENTS, 1)
  minRecipients?: number;

  @OptionalParameter(
    'Only batches created at this time or later: ISO 8601 with a zone, or a date, read as midnight in UTC',
    '2026-01-31T09:00:00Z',
  )
  from?: string;

  @OptionalParameter('Only batches created before this time; same format as from', '2026-02-01')
  to?: string;

  /** @throws ValidationFailed with every invalid parameter. */
  read(): BatchQuery {
    const errors = new FieldErrors();
    const query = {
      filter: {
        device: errors.parse('deviceId', this.deviceId, parseId, INVALID_ID),
        pool: errors.parse('poolId', this.poolId, parseId, INVALID_ID),
        state: this.state,
        minRecipients: this.minRecipients,
        from: errors.parse('from', this.from, parseIsoDateTimeOrDate, INVALID_BOUND),
        to: errors.parse('to', this.to, parseIsoDateTimeOrDate, INVALID_BOUND),
      },
      limit: this.limit ?? DEFAULT_LIMIT,
      after: errors.parse('cursor', this.cursor, decodeCursor, INVALID_CURSOR),
    };
    errors.throwIfAny();
    return query;
  }
}
