import { ApiProperty } from '@nestjs/swagger';
import { Count } from '../../../common/http/responses/fields';

export class ReplacementResponse {
  @Count('Messages that waited for the replaced phone and were moved by this call', 12)
  movedCount!: number;

  @Count('Messages that the replaced phone may have sent, and that this call has made unknown', 3)
  unconfirmedCount!: number;

  @ApiProperty({
    description:
      'Whether all waiting messages have moved. If not, the others move within seconds, without another call',
  })
  isComplete!: boolean;
}
