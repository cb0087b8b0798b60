import { Count, Time } from '../../../../common/http/responses/fields';

export class SeriesPointResponse {
  @Time('Start of the bucket')
  at!: Date;

  @Count('Messages received by phones and uploaded in this time', 12)
  received!: number;

  @Count('Messages first reported as sent or delivered in this time', 12)
  sent!: number;

  @Count('Messages reported as delivered in this time', 12)
  delivered!: number;

  @Count('Messages that failed in this time, without those cancelled or suppressed', 12)
  failed!: number;

  @Count('Messages cancelled in this time', 12)
  cancelled!: number;

  @Count('Messages that were not sent in this time, because their recipients are blocked', 12)
  suppressed!: number;
}
