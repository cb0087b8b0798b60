import { ApiProperty } from '@nestjs/swagger';
import { Time } from '../../common/http/responses/fields';
import type { SeriesPoint } from './series.service';

const Count = (description: string): PropertyDecorator =>
  ApiProperty({ type: 'integer', description, example: 12 });

export class SeriesPointResponse {
  @Time('Start of the bucket')
  at!: Date;

  @Count('Messages received by phones and uploaded in this time')
  received!: number;

  @Count('Messages first reported as sent or delivered in this time')
  sent!: number;

  @Count('Messages reported as delivered in this time')
  delivered!: number;

  @Count('Messages that failed in this time, cancelled ones included')
  failed!: number;
}

export const toSeriesPointResponse = ({ at, received, sent, delivered, failed }: SeriesPoint) => ({
  at,
  received,
  sent,
  delivered,
  failed,
});
