import { ApiProperty } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { FieldErrors } from '../../common/errors';
import { INVALID_ID, parseId } from '../../common/http/requests/id.pipe';
import { parseIsoDateTimeOrDate } from '../../common/http/requests/iso-date-time';
import { OptionalChoice, OptionalParameter } from '../../common/http/requests/query-fields';
import { DAY_MS } from '../../common/durations';
import { BUCKET_MS, SERIES_BUCKETS, type SeriesBucket, type SeriesQuery } from './series.service';

/** A leap year, and the buckets in which the span starts and ends. */
const MAX_DAYS: Readonly<Record<SeriesBucket, number>> = { hour: 31, day: 366 };
const INVALID_TIME = 'must be a date or a time in ISO 8601 with a zone, such as 2026-01-31T09:00:00Z';

export class SeriesRequest {
  @ApiProperty({
    type: String,
    description:
      'Start of the chart, rounded down to a bucket: ISO 8601 with a zone, or a date, read as midnight in UTC',
    example: '2026-01-01',
  })
  @IsString({ message: `$property ${INVALID_TIME}` })
  from!: string;

  @ApiProperty({
    type: String,
    description: 'End of the chart, exclusive, rounded up to a bucket; in the format of from',
    example: '2026-02-01',
  })
  @IsString({ message: `$property ${INVALID_TIME}` })
  to!: string;

  @OptionalChoice('Hours, for up to 31 days, or UTC days, for up to a year', SERIES_BUCKETS, {
    default: 'day',
  })
  bucket?: SeriesBucket;

  @OptionalParameter('Only messages of this device', '665f1c2ab7e1d4a9c0f3e812')
  deviceId?: string;

  /** @throws ValidationFailed with all invalid fields. */
  read(): SeriesQuery {
    const errors = new FieldErrors();
    const { bucket = 'day' } = this;
    const from = errors.parse('from', this.from, parseIsoDateTimeOrDate, INVALID_TIME);
    const to = errors.parse('to', this.to, parseIsoDateTimeOrDate, INVALID_TIME);
    const device = errors.parse('deviceId', this.deviceId, parseId, INVALID_ID);
    if (from && to && to <= from) errors.add('to', 'must be later than from');
    if (from && to && to.getTime() - from.getTime() > MAX_DAYS[bucket] * DAY_MS)
      errors.add('to', `must be at most ${MAX_DAYS[bucket]} days after from for buckets of one ${bucket}`);
    errors.throwIfAny();
    if (!from || !to) throw errors.failure();
    const bucketMs = BUCKET_MS[bucket];
    return {
      from: new Date(Math.floor(from.getTime() / bucketMs) * bucketMs),
      to: new Date(Math.ceil(to.getTime() / bucketMs) * bucketMs),
      bucket,
      device,
    };
  }
}
