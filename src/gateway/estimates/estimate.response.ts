import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { OptionalTime } from '../../common/http/responses/fields';
import { type Encoding, ENCODINGS, MAX_OFFENDING_CHARACTERS } from '../../messages/text/segments';
import type { Estimate } from './estimate.service';

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
}
