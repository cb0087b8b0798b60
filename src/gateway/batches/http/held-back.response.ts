import { ApiProperty } from '@nestjs/swagger';
import { Count, OptionalTime } from '../../../common/http/responses/fields';
import { WAIT_REASONS, type WaitReason } from '../../../devices/states/wait-reasons';

export class HeldBackResponse {
  @ApiProperty({ enum: WAIT_REASONS, description: 'Why they wait', example: 'messages_per_day' })
  reason!: WaitReason;

  @Count('Messages that wait for it', 1)
  count!: number;

  @OptionalTime('When the last of them can leave, by what is known; absent if that is not known')
  until?: Date;
}
