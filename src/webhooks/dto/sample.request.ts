import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { OptionalField } from '../../common/http/requests/fields';
import { MESSAGE_EVENTS, type MessageEvent } from '../../messages/outbox/message-event';

export class SampleRequest {
  @ApiPropertyOptional({
    enum: MESSAGE_EVENTS,
    enumName: 'EmittedEvent',
    description: 'The event to send a sample of',
    default: 'MESSAGE_RECEIVED',
  })
  @OptionalField()
  @IsIn(MESSAGE_EVENTS, { message: `$property must be one of ${MESSAGE_EVENTS.join(', ')}` })
  event?: MessageEvent;
}
