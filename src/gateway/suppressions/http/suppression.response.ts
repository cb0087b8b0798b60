import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Id, OptionalId, OptionalTime, Time } from '../../../common/http/responses/fields';
import { CONSENT_SOURCES, type ConsentSource } from '../../../consent/records/consent-record.schema';
import { outAt } from '../../../consent/suppressions/suppression-rules';
import { SUPPRESSION_COVERS, type SuppressionCovers } from '../../../consent/suppressions/suppression.schema';
import type { SuppressionView } from '../suppressions.service';

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
}

export const toSuppressionResponse = ({ suppression, state }: SuppressionView): SuppressionResponse => ({
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
});
