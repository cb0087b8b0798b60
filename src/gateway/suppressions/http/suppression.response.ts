import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Id, OptionalId, OptionalTime, Time } from '../../../common/http/responses/fields';
import type { AutoReply } from '../../../consent/auto-replies/auto-reply.schema';
import { CONSENT_SOURCES, type ConsentSource } from '../../../consent/records/consent-record.schema';
import { outAt } from '../../../consent/suppressions/suppression-rules';
import { SUPPRESSION_COVERS, type SuppressionCovers } from '../../../consent/suppressions/suppression.schema';
import type { StoppedNumber } from '../suppression-check.service';
import type { SuppressionView } from '../suppressions.service';

const CONFIRMATION_STATES = ['waiting', 'accepted', 'refused'] as const;

class ConfirmationResponse {
  @ApiProperty({
    enum: CONFIRMATION_STATES,
    description: 'accepted: see what became of it by its batch. refused: nothing was sent, see reason',
    example: 'accepted',
  })
  state!: (typeof CONFIRMATION_STATES)[number];

  @Time('When the text was answered')
  at!: Date;

  @OptionalId('Batch of the confirmation')
  smsBatchId?: string;

  @ApiPropertyOptional({
    description: 'Why nothing was sent',
    example: 'The device is disabled; enable it to send messages',
  })
  reason?: string;
}

class SuppressionContact {
  @Id('Contact id')
  _id!: string;

  @ApiProperty({ description: 'Name; empty if it has none', example: 'Ana Marín' })
  name!: string;
}

export class SuppressionResponse {
  @Id('Id of the block')
  _id!: string;

  @ApiProperty({ description: 'Number that is blocked', example: '+447700900123' })
  number!: string;

  @ApiPropertyOptional({ description: 'Topic that it is limited to; absent: all', example: 'offers' })
  topic?: string;

  @ApiProperty({
    enum: ['out', 'held'],
    enumName: 'SuppressionState',
    description: 'out: no messages. held: no marketing, and in a week the same as out',
    example: 'out',
  })
  state!: 'out' | 'held';

  @ApiProperty({
    enum: SUPPRESSION_COVERS,
    enumName: 'SuppressionCovers',
    description: 'undeclared: all but messages that declare the purpose transactional. everything: those too',
    example: 'undeclared',
  })
  covers!: SuppressionCovers;

  @ApiProperty({
    enum: CONSENT_SOURCES,
    enumName: 'ConsentSource',
    description:
      'keyword: a text of the person. web: the owner in the dashboard. api: a program of the owner. import: a file of the owner',
    example: 'keyword',
  })
  source!: ConsentSource;

  @Time('When it was decided last; of a text, when it was received')
  at!: Date;

  @OptionalTime('When a block that is held counts as out; absent in the state out')
  outAt?: Date;

  @ApiPropertyOptional({ description: 'What the person wrote', example: 'STOP' })
  words?: string;

  @OptionalId('The text; absent if the phone did not receive for the account')
  messageId?: string;

  @ApiPropertyOptional({ description: 'Why the owner decided so', example: 'Asked on the phone' })
  reason?: string;

  @ApiPropertyOptional({ description: 'The last confirmation that a person who wrote STOP got' })
  confirmation?: ConfirmationResponse;

  @ApiPropertyOptional({ description: 'The contact that has the number; only in lists' })
  contact?: SuppressionContact;
}

export const toSuppressionResponse = ({
  suppression,
  state,
  confirmation,
  contact,
}: SuppressionView): SuppressionResponse => ({
  _id: suppression._id.toHexString(),
  number: suppression.number,
  topic: suppression.topic || undefined,
  state,
  covers: suppression.covers,
  source: suppression.source,
  at: suppression.at,
  outAt: state === 'held' ? outAt(suppression) : undefined,
  words: suppression.words,
  messageId: suppression.message?.toHexString(),
  reason: suppression.reason,
  confirmation: confirmation && toConfirmationResponse(confirmation),
  contact: contact && { _id: contact._id.toHexString(), name: contact.name },
});

/** Blocks that are told with a check. */
const MAX_CHECKED_BLOCKS = 100;

class CheckedBlockResponse extends SuppressionResponse {
  @ApiProperty({ type: 'integer', description: 'Place among the numbers of the request, from 0', example: 0 })
  index!: number;
}

export class SuppressionCheckResponse {
  @ApiProperty({
    type: [Number],
    description: 'Places among the numbers of the request, from 0, of those that the send would not reach',
    example: [0],
  })
  blocked!: number[];

  @ApiProperty({
    type: [CheckedBlockResponse],
    maxItems: MAX_CHECKED_BLOCKS,
    description: 'What stops the first 100 of them',
  })
  blocks!: CheckedBlockResponse[];
}

export const toSuppressionCheckResponse = (stopped: readonly StoppedNumber[]): SuppressionCheckResponse => ({
  blocked: stopped.map(({ index }) => index),
  blocks: stopped
    .slice(0, MAX_CHECKED_BLOCKS)
    .map(({ index, block }) => Object.assign(toSuppressionResponse(block), { index })),
});

const toConfirmationResponse = ({ requestedAt, batch, refusal }: AutoReply): ConfirmationResponse => ({
  state: batch ? 'accepted' : refusal === undefined ? 'waiting' : 'refused',
  at: requestedAt,
  smsBatchId: batch?.toHexString(),
  reason: refusal,
});
