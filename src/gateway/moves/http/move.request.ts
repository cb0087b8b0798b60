import { ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsMongoId } from 'class-validator';
import { OptionalField } from '../../../common/http/requests/fields';
import { UnsuggestedFields } from '../../../common/http/requests/request-shape';
import { Id, OptionalId } from '../../../common/http/responses/fields';

/** Of one call. */
const MAX_MESSAGES = 200;

/** A send may have a `messageId` of its sender's. */
@UnsuggestedFields()
export class MoveRequest {
  @Id('The phone that the messages are moved to')
  @IsMongoId({ message: '$property is not a valid id' })
  deviceId!: string;

  @ApiPropertyOptional({
    type: [String],
    minItems: 1,
    maxItems: MAX_MESSAGES,
    description: 'Ids of the messages. Give these or fromDeviceId',
    example: ['6b0148c77d91911c5677fe0f'],
  })
  @OptionalField()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_MESSAGES)
  @ArrayUnique((id: unknown) => (typeof id === 'string' ? id.toLowerCase() : id))
  @IsMongoId({ each: true, message: '$property must be a list of valid ids' })
  messageIds?: string[];

  @OptionalId('A phone: all messages that wait for it')
  @OptionalField()
  @IsMongoId({ message: '$property is not a valid id' })
  fromDeviceId?: string;
}
