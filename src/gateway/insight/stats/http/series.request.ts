import { ApiProperty } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { FieldErrors } from '../../../../common/errors';
import { INVALID_ID, parseId } from '../../../../common/http/requests/id.pipe';
import { parseIsoDateTimeOrDate } from '../../../../common/http/requests/iso-date-time';
import { OptionalChoice, OptionalParameter } from '../../../../common/http/requests/query-fields';
import { DAY_MS, HOUR_MS } from '../../../../common/durations';
import { type Calendar, calendarOf, isTimeZone } from '../../../../devices/sims/limits/calendar';
import { SERIES_BUCKETS, type SeriesBucket, type SeriesQuery } from '../series.service';

/** A leap year, and the buckets in which the span starts and ends. */
const MAX_DAYS: Readonly<Record<SeriesBucket, number>> = { hour: 31, day: 366 };
/** A span that clocks are set back in is longer than its days. */
const DAYLIGHT_SAVING_MS = HOUR_MS;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const INVALID_TIME = 'must be a date or a time in ISO 8601 with a zone, such as 2026-01-31T09:00:00Z';

export class SeriesRequest {
  @ApiProperty({
    type: String,
    description:
      'Start of the chart, rounded down to a bucket: ISO 8601 with a zone, or a date, read as midnight in timeZone',
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

  @OptionalChoice('Hours, for up to 31 days, or days of timeZone, for up to a year', SERIES_BUCKETS, {
    default: 'day',
  })
  bucket?: SeriesBucket;

  @OptionalParameter(
    'IANA time zone in which days begin. Defaults to UTC. Counts are kept by UTC hour: where days begin within one, it counts for the day that has more of it, and half an hour for the later one',
    'Europe/Berlin',
  )
  timeZone?: string;

  @OptionalParameter('Only messages of this device', '665f1c2ab7e1d4a9c0f3e812')
  deviceId?: string;

  /** @throws ValidationFailed with all invalid fields. */
  read(): SeriesQuery {
    const errors = new FieldErrors();
    const { bucket = 'day' } = this;
    const isKnownZone = this.timeZone === undefined || isTimeZone(this.timeZone);
    if (!isKnownZone) errors.add('timeZone', 'must be the name of a time zone, such as Europe/Berlin');
    const calendar = calendarOf(isKnownZone ? this.timeZone : undefined);
    const parse = (text: string) => parseTime(text, calendar);
    const from = errors.parse('from', this.from, parse, INVALID_TIME);
    const to = errors.parse('to', this.to, parse, INVALID_TIME);
    const device = errors.parse('deviceId', this.deviceId, parseId, INVALID_ID);
    if (from && to && to <= from) errors.add('to', 'must be later than from');
    if (from && to && to.getTime() - from.getTime() > MAX_DAYS[bucket] * DAY_MS + DAYLIGHT_SAVING_MS)
      errors.add('to', `must be at most ${MAX_DAYS[bucket]} days after from for buckets of one ${bucket}`);
    errors.throwIfAny();
    if (!from || !to) throw errors.failure();
    const isLocal = bucket === 'day' && this.timeZone !== undefined;
    const bounds = isLocal
      ? calendar.daysIn(from.getTime(), to.getTime())
      : boundsOf(from, to, bucket === 'day' ? DAY_MS : HOUR_MS);
    return { bounds, device };
  }
}

/** A date begins at midnight in the time zone. */
function parseTime(text: string, calendar: Calendar): Date | null {
  const time = parseIsoDateTimeOrDate(text);
  return time && DATE.test(text) ? new Date(calendar.startOfDate(text)) : time;
}

/** Buckets of one length. */
function boundsOf(from: Date, to: Date, bucketMs: number): number[] {
  const first = Math.floor(from.getTime() / bucketMs);
  const length = Math.ceil(to.getTime() / bucketMs) - first;
  return Array.from({ length: length + 1 }, (_, index) => (first + index) * bucketMs);
}
