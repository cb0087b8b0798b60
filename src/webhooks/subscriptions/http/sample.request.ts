import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { OptionalField } from '../../../common/http/requests/fields';
import { EMITTED_EVENTS, type EmittedEvent } from '../../webhook-event';

export class SampleRequest {
  @ApiPropertyOptional({
    enum: EMITTED_EVENTS,
    enumName: 'EmittedEvent',
    description: 'The event to send a sample of',
    default: 'MESSAGE_RECEIVED',
  })
  @OptionalField()
  @IsIn(EMITTED_EVENTS, { message: `$property must be one of ${EMITTED_EVENTS.join(', ')}` })
  event?: EmittedEvent;
}
