import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  IsIn,
  IsInt,
  IsObject,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { OptionalField, OptionalString } from '../../../common/http/requests/fields';
import { UnsuggestedFields } from '../../../common/http/requests/request-shape';
import { PURPOSES, type Purpose } from '../../../messages/batch.schema';
import { PRIORITIES, type Priority } from '../../../messages/message.schema';
import { TIME_OF_DAY } from '../../quiet-hours/quiet-hours';
import { ON_INVALID_NUMBER, type OnInvalidNumber, type SendOptionsInput } from '../../send-input/send-input';
import { TOPIC } from '../../send-input/topic';
import { MAX_VALIDITY_SECONDS, MIN_VALIDITY_SECONDS } from '../../send-input/send-limits';

/** Its rule is checked with the rest of the send. */
const MAX_TOPIC_LENGTH = 512;

const TimeOfDay = (description: string, example: string): PropertyDecorator =>
  applyDecorators(
    ApiProperty({ type: String, pattern: TIME_OF_DAY.source, description, example }),
    Matches(TIME_OF_DAY, { message: '$property must be a time of day, HH:MM' }),
  );

@UnsuggestedFields()
export class QuietHoursRequest {
  @TimeOfDay('Start, on the clock of the recipient', '21:00')
  from!: string;

  @TimeOfDay('End; before the start if the window is over midnight', '08:00')
  to!: string;
}

/** The options of a send, which apply to all of its messages. */
export class SendOptionsRequest implements SendOptionsInput {
  @ApiPropertyOptional({
    enum: PRIORITIES,
    description:
      'urgent: for codes. Overtakes large sends, and ignores quiet hours; the limits of a SIM hold for it too. The default is normal',
    example: 'urgent',
  })
  @OptionalField()
  @IsIn(PRIORITIES)
  priority?: Priority;

  @OptionalString(
    'What has not been handed to a phone by then fails with the code EXPIRED: ISO 8601 with a zone, in the future, after every scheduledAt, at most 60 days ahead',
    '2026-01-31T10:00:00+01:00',
  )
  validUntil?: string;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: MIN_VALIDITY_SECONDS,
    maximum: MAX_VALIDITY_SECONDS,
    description: 'Instead of validUntil: seconds from scheduledAt of each entry, else from the request',
    example: 300,
  })
  @OptionalField()
  @IsInt()
  @Min(MIN_VALIDITY_SECONDS)
  @Max(MAX_VALIDITY_SECONDS)
  validForSeconds?: number;

  @ApiPropertyOptional({
    type: QuietHoursRequest,
    description: 'Daily hours on the clock of each recipient in which its messages wait',
  })
  @OptionalField()
  @IsObject()
  @ValidateNested()
  @Type(() => QuietHoursRequest)
  quietHours?: QuietHoursRequest;

  @ApiPropertyOptional({
    enum: PURPOSES,
    description:
      'What the messages are for. marketing: they advertise. transactional: they answer what their recipients asked for, such as codes and appointments, and also reach people who wrote STOP, unless that covers everything. Absent: not declared, which a STOP stops too',
    example: 'transactional',
  })
  @OptionalField()
  @IsIn(PURPOSES)
  purpose?: Purpose;

  @ApiPropertyOptional({
    type: String,
    pattern: TOPIC.source,
    description: 'What the messages are about, for people who stop messages of one topic',
    example: 'offers',
  })
  @OptionalField('')
  @IsString()
  @MaxLength(MAX_TOPIC_LENGTH)
  topic?: string;

  @ApiPropertyOptional({
    enum: ON_INVALID_NUMBER,
    description:
      'What happens if a recipient is no phone number. reject: the send is refused, and names each. skip: it is left out, and named in skippedRecipients; a send without any phone number is still refused. The default is reject',
    example: 'skip',
  })
  @OptionalField()
  @IsIn(ON_INVALID_NUMBER)
  onInvalidNumber?: OnInvalidNumber;
}
