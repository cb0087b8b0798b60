import { ApiProperty } from '@nestjs/swagger';
import { Count, Id } from '../../../common/http/responses/fields';
import { MOVE_REFUSAL_TEXTS, MOVE_REFUSALS, type MoveRefusal } from '../move-refusal';
import type { MoveResult } from '../waiting-moves.service';

export class RefusedMoveResponse {
  @Id('Message id')
  id!: string;

  @ApiProperty({
    enum: MOVE_REFUSALS,
    enumName: 'MoveRefusal',
    description: 'Why the message was not moved',
    example: 'MESSAGE_HANDED_OVER',
  })
  code!: MoveRefusal;

  @ApiProperty({
    description: 'The same as a sentence',
    example: MOVE_REFUSAL_TEXTS.MESSAGE_HANDED_OVER,
  })
  message!: string;
}

export class MoveResponse {
  @Count('Messages that wait for the other phone now; of a whole phone, those that this call has moved', 12)
  movedCount!: number;

  @ApiProperty({
    description:
      'Whether everything was moved that could be. If not, call again: one call moves at most 5,000 messages',
  })
  isComplete!: boolean;

  @ApiProperty({ type: [RefusedMoveResponse], description: 'The others of messageIds, each with the reason' })
  refused!: RefusedMoveResponse[];
}

export const toMoveResponse = ({ movedCount, isComplete, refused }: MoveResult): MoveResponse => ({
  movedCount,
  isComplete,
  refused: refused.map(({ id, code }) => ({ id: id.toHexString(), code, message: MOVE_REFUSAL_TEXTS[code] })),
});
