import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsIn,
  IsNotEmpty,
  IsString,
  Matches,
  MaxLength,
} from 'class-validator';
import { ConsentRecordListRequest } from '../../../consent/records/http/consent-record.request';
import { OptionalField, OptionalText } from '../../../common/http/requests/fields';
import { OptionalChoice } from '../../../common/http/requests/query-fields';
import { UnsuggestedFields } from '../../../common/http/requests/request-shape';
import { PURPOSES, type Purpose } from '../../../messages/batch.schema';
import { MAX_RECIPIENTS } from '../../send-input/send-limits';
import { TOPIC, TOPIC_RULE } from '../../send-input/topic';

const STATES = ['out', 'held'] as const;
const MAX_NUMBER_LENGTH = 40;
const MAX_REASON_LENGTH = 200;

export class SuppressionListRequest extends ConsentRecordListRequest {
  @OptionalChoice('Only blocks in this state', STATES)
  state?: (typeof STATES)[number];
}

@UnsuggestedFields()
export class SuppressionRequest {
  @ApiProperty({
    type: String,
    maxLength: MAX_NUMBER_LENGTH,
    description: 'Number to block, in any spelling',
    example: '+447700900123',
  })
  @IsString()
  @MaxLength(MAX_NUMBER_LENGTH)
  number!: string;

  @ApiPropertyOptional({
    type: String,
    pattern: TOPIC.source,
    description: 'Only sends that declare this topic are stopped; absent: those of all topics',
    example: 'offers',
  })
  @OptionalField()
  @Matches(TOPIC, { message: `$property ${TOPIC_RULE}` })
  topic?: string;

  @ApiPropertyOptional({
    enum: STATES,
    description: 'out: no messages. held: no marketing, and in a week the same as out. The default is out',
    example: 'out',
  })
  @OptionalField()
  @IsIn(STATES)
  state?: (typeof STATES)[number];

  @OptionalText('Why, for the record', 'Asked on the phone', MAX_REASON_LENGTH)
  reason?: string;
}

@UnsuggestedFields()
export class SuppressionCheckRequest {
  @ApiProperty({
    type: [String],
    minItems: 1,
    maxItems: MAX_RECIPIENTS,
    items: { type: 'string', maxLength: MAX_NUMBER_LENGTH },
    description: 'Numbers to look for, in any spelling',
    example: ['+447700900123', '+447700900124'],
  })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_RECIPIENTS)
  @IsString({ each: true })
  @MaxLength(MAX_NUMBER_LENGTH, { each: true })
  numbers!: string[];

  @ApiPropertyOptional({ enum: PURPOSES, description: 'What the send would declare', example: 'marketing' })
  @OptionalField()
  @IsIn(PURPOSES)
  purpose?: Purpose;

  @ApiPropertyOptional({
    type: String,
    pattern: TOPIC.source,
    description: 'What the send would declare',
    example: 'offers',
  })
  @OptionalField('')
  @Matches(TOPIC, { message: `$property ${TOPIC_RULE}` })
  topic?: string;
}

@UnsuggestedFields()
export class LiftSuppressionRequest {
  @ApiProperty({
    type: String,
    maxLength: MAX_REASON_LENGTH,
    description: 'Why, for the record',
    example: 'Wants messages again, said so in the shop',
  })
  @IsString()
  @IsNotEmpty()
  @MaxLength(MAX_REASON_LENGTH)
  reason!: string;
}
