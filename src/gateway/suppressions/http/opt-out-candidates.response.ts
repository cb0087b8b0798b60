import { ApiProperty } from '@nestjs/swagger';
import { Count, Id, NextCursor, Time } from '../../../common/http/responses/fields';
import type { OptOutCandidate } from '../opt-out-candidates.service';

export class OptOutCandidateResponse {
  @ApiProperty({ description: 'Number of the person', example: '+447700900123' })
  number!: string;

  @ApiProperty({ description: 'What the person wrote', example: 'STOP' })
  words!: string;

  @Time('When the text was received')
  at!: Date;

  @Id('The text')
  messageId!: string;
}

export class OptOutCandidatesMetaResponse {
  @NextCursor()
  nextCursor!: string | null;
}

export class SuppressedCandidatesResponse {
  @Count('People who are blocked by this call', 17)
  suppressedCount!: number;

  @NextCursor()
  nextCursor!: string | null;
}

export const toOptOutCandidateResponse = ({
  number,
  words,
  at,
  message,
}: OptOutCandidate): OptOutCandidateResponse => ({ number, words, at, messageId: message.toHexString() });
