import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsString } from 'class-validator';
import { FieldFault, ValidationFailed } from '../../common/errors';
import { OptionalField } from '../../common/http/fields';
import { parseInstantOrDate } from '../../common/http/instant';
import { type Position, readCursor } from '../../messages/message-cursor';
import { DELIVERY_STATUSES, type DeliveryStatus } from '../delivery.schema';
import type { ReplaySpan } from '../redelivery.repository';

const A_TIME = 'must be a date, or an ISO 8601 time with its zone, such as 2026-01-31T09:00:00Z';

/** Which deliveries of a subscription are to be made again. */
export class ReplayRequest {
  @ApiProperty({
    type: String,
    description:
      'Events recorded at this time or later: ISO 8601 with a zone, or a date, read as midnight in UTC',
    example: '2026-01-31T09:00:00Z',
  })
  @IsString()
  from!: string;

  @ApiPropertyOptional({
    type: String,
    description: 'Events recorded before this time; written as from is. Without it: until now',
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
    type: String,
    description:
      'nextCursor of the request before, when it could not take all; the other fields stay the same',
  })
  @OptionalField()
  @IsString()
  cursor?: string;

  /** @throws ValidationFailed naming every field at fault. */
  read(now: Date): { span: ReplaySpan; start?: Position } {
    const faults: FieldFault[] = [];
    const fault = (field: string, text: string) => faults.push({ field, message: `${field} ${text}` });
    const from = parseInstantOrDate(this.from);
    if (!from) fault('from', A_TIME);
    // Up to and with this very moment.
    const to = this.to === undefined ? new Date(now.getTime() + 1) : parseInstantOrDate(this.to);
    if (!to) fault('to', A_TIME);
    const start = this.cursor === undefined ? undefined : readCursor(this.cursor);
    if (start === null) fault('cursor', 'is not a nextCursor of a replay; begin again without one');
    if (!from || !to || start === null) throw new ValidationFailed(faults);
    return { span: { from, to, status: this.status ?? 'failed' }, ...(start && { start }) };
  }
}
