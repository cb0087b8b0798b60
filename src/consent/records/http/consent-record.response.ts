import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Id, listMeta, OptionalCount, OptionalId, Time } from '../../../common/http/responses/fields';
import { CONSENT_DECISIONS, CONSENT_SOURCES, type ConsentRecord } from '../consent-record.schema';

export class ConsentRecordResponse {
  @Id('Id of the record')
  _id!: string;

  @ApiProperty({ description: 'Number that it is about', example: '+447700900123' })
  number!: string;

  @ApiPropertyOptional({ description: 'Topic that it is limited to; absent: all', example: 'offers' })
  topic?: string;

  @ApiProperty({
    enum: CONSENT_DECISIONS,
    enumName: 'ConsentDecision',
    description:
      'out: no more messages. held: no marketing until it is certain what the person wants. in: a block is lifted',
    example: 'out',
  })
  state!: ConsentRecord['state'];

  @ApiProperty({
    enum: CONSENT_SOURCES,
    enumName: 'ConsentSource',
    description:
      'keyword: a text of the person. web: the owner in the dashboard. api: a program of the owner. import: a file of the owner',
    example: 'keyword',
  })
  source!: ConsentRecord['source'];

  @Time('When it was decided; of a text, when it was received')
  at!: Date;

  @ApiPropertyOptional({ description: 'What the person wrote', example: 'STOP' })
  words?: string;

  @OptionalId('The text; absent if the phone did not receive for the account')
  messageId?: string;

  @OptionalId('Device that received the text')
  deviceId?: string;

  @ApiPropertyOptional({ description: 'Android subscription id of the SIM that received it', example: 1 })
  simSubscriptionId?: number;

  @ApiPropertyOptional({
    description: 'Who decided in the dashboard: name of the user, else e-mail address',
    example: 'Ada Lovelace',
  })
  person?: string;

  @ApiPropertyOptional({ description: 'Why the owner decided so', example: 'Asked on the phone' })
  reason?: string;

  @ApiPropertyOptional({
    description: 'SHA-256 of the file that was imported',
    example: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
  })
  fileHash?: string;

  @OptionalCount('Line of the file, from 1', 42)
  fileLine?: number;

  @OptionalId('The import of the file')
  importId?: string;
}

/** The page of a list of blocks or consents. */
export class ConsentListMetaResponse extends listMeta('entries', 50) {}

export const toConsentRecordResponse = (record: ConsentRecord): ConsentRecordResponse => ({
  _id: record._id.toHexString(),
  number: record.number,
  topic: record.topic || undefined,
  state: record.state,
  source: record.source,
  at: record.at,
  words: record.words,
  messageId: record.message?.toHexString(),
  deviceId: record.device?.toHexString(),
  simSubscriptionId: record.simSubscriptionId,
  person: record.person,
  reason: record.reason,
  fileHash: record.fileHash,
  fileLine: record.fileLine,
  importId: record.importId?.toHexString(),
});
