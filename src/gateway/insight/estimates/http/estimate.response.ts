import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Count, Id, OptionalCount, OptionalTime, Time } from '../../../../common/http/responses/fields';
import { type Encoding, ENCODINGS, MAX_OFFENDING_CHARACTERS } from '../../../../messages/text/segments';
import { SkippedRecipientsResponse } from '../../../sends/http/send.response';
import { HeldBackResponse } from '../../../batches/http/held-back.response';

export class SimShareResponse {
  @Id('The SIM')
  sim!: string;

  @Count('Messages that it sends', 2)
  messages!: number;

  @Time('When it is done with them, as its pace, its limits and the large sends accepted before allow')
  until!: Date;
}

export class EstimateResponse extends SkippedRecipientsResponse {
  @OptionalCount('SMS parts of one message; absent if the texts differ or one is end-to-end encrypted', 1)
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

  @Count('Number of messages, one per recipient', 2)
  messages!: number;

  @Count('SMS parts of all messages; an end-to-end encrypted text counts with its largest size', 2)
  parts!: number;

  @Count(
    'Messages to blocked recipients, counted among the others: they fail, and do not count towards the plan',
    1,
  )
  suppressed!: number;

  @OptionalTime(
    'Estimated completion if it is sent now; only for a send in waves. Other sends may take the time meanwhile',
  )
  estimatedCompletionAt?: Date;

  @ApiProperty({
    type: [SimShareResponse],
    description:
      'What each SIM sends, without messages for which the phone chooses, or whose phone has not told its SIMs',
  })
  sims!: SimShareResponse[];

  @ApiProperty({
    type: [HeldBackResponse],
    description:
      'What waits, by reason; the pace of SIMs and phones is not among them. Other sends may use the limits meanwhile',
  })
  heldBack!: HeldBackResponse[];
}
