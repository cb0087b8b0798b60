import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { OptionalTime, Time } from '../../common/http/responses/fields';
import { WAIT_REASONS, type WaitReason } from '../../devices/sims/wait-reasons';
import { type Encoding, ENCODINGS, MAX_OFFENDING_CHARACTERS } from '../../messages/text/segments';
import type { Estimate, HeldBack } from './estimate.service';

class HeldBackResponse implements HeldBack {
  @ApiProperty({ enum: WAIT_REASONS, description: 'What they wait for', example: 'quiet_hours' })
  reason!: WaitReason;

  @ApiProperty({ type: 'integer', description: 'Number of messages', example: 2 })
  count!: number;

  @Time('When the first of them can leave; the others follow at the pace of the phone')
  until!: Date;
}

export class EstimateResponse implements Estimate {
  @ApiPropertyOptional({
    type: 'integer',
    description: 'SMS parts of all messages; absent if a text is end-to-end encrypted',
    example: 2,
  })
  segments?: number;

  @ApiPropertyOptional({
    enum: ENCODINGS,
    description: 'Encoding of all messages; absent if they differ or one is end-to-end encrypted',
    example: 'UCS-2',
  })
  encoding?: Encoding;

  @ApiProperty({
    type: [String],
    description: 'Characters that force UCS-2, each once, in the order of their first use',
    example: ['’'],
    maxItems: MAX_OFFENDING_CHARACTERS,
  })
  offendingCharacters!: string[];

  @ApiProperty({ type: 'integer', description: 'Number of messages, one per recipient', example: 2 })
  messages!: number;

  @ApiProperty({
    type: 'integer',
    description: 'SMS parts of all messages; an end-to-end encrypted text counts with its largest size',
    example: 2,
  })
  parts!: number;

  @OptionalTime(
    'Estimated completion if it is sent now; only for a send in waves. Other sends may take the time meanwhile',
  )
  estimatedCompletionAt?: Date;

  @ApiProperty({
    type: [HeldBackResponse],
    description: 'Messages that do not leave as soon as they are due, by reason and time',
  })
  heldBack!: HeldBackResponse[];
}
