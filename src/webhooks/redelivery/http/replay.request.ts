import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsString } from 'class-validator';
import { FieldError, ValidationFailed } from '../../../common/errors';
import { OptionalField } from '../../../common/http/requests/fields';
import { parseIsoDateTimeOrDate } from '../../../common/http/requests/iso-date-time';
import { type Position, decodeCursor } from '../../../messages/lists/message-cursor';
import { DELIVERY_STATUSES, type DeliveryStatus } from '../../deliveries/delivery.schema';
import type { ReplayFilter } from '../redelivery.repository';

const INVALID_TIME = 'must be a date, or an ISO 8601 time with its zone, such as 2026-01-31T09:00:00Z';

export class ReplayRequest {
  @ApiProperty({
    description:
      'Events recorded at this time or later: ISO 8601 with a zone, or a date, read as midnight in UTC',
    example: '2026-01-31T09:00:00Z',
  })
  @IsString()
  from!: string;

  @ApiPropertyOptional({
    description: 'Events recorded before this time; in the format of from. Defaults to now',
    example: '2026-02-01',
  })
  @OptionalField()
  @IsString()
  to?: string;

  @ApiPropertyOptional({
    enum: DELIVERY_STATUSES,
    description: 'Only deliveries in this state',
    default: 'failed',
  })
  @OptionalField()
  @IsIn(DELIVERY_STATUSES, { message: `$property must be one of ${DELIVERY_STATUSES.join(', ')}` })
  status?: DeliveryStatus;

  @ApiPropertyOptional({
    description: 'nextCursor of the previous request; the other fields must stay the same',
  })
  @OptionalField()
  @IsString()
  cursor?: string;

  /** @throws ValidationFailed with all invalid fields. */
  read(now: Date): { filter: ReplayFilter; position?: Position } {
    const errors: FieldError[] = [];
    const addError = (field: string, text: string) => errors.push({ field, message: `${field} ${text}` });
    const from = parseIsoDateTimeOrDate(this.from);
    if (!from) addError('from', INVALID_TIME);
    // `to` is exclusive; includes the current millisecond.
    const to = this.to === undefined ? new Date(now.getTime() + 1) : parseIsoDateTimeOrDate(this.to);
    if (!to) addError('to', INVALID_TIME);
    const position = this.cursor === undefined ? undefined : decodeCursor(this.cursor);
    if (position === null)
      addError('cursor', 'is not a valid nextCursor of a replay; start again without a cursor');
    if (!from || !to || position === null) throw new ValidationFailed(errors);
    return { filter: { from, to, status: this.status ?? 'failed' }, ...(position && { position }) };
  }
}
