import { ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsOptional, ValidateNested } from 'class-validator';
import { FieldErrors } from '../../../../common/errors';
import { OptionalText } from '../../../../common/http/requests/fields';
import { CombinedRequest } from '../../../../common/http/requests/request-shape';
import {
  bulkSendInput,
  MAX_RAW_TEXT_LENGTH,
  SendEntryRequest,
  SendSmsRequest,
} from '../../../sends/http/send.request';
import type { SendInput } from '../../../send-input/send-input';
import { MAX_RECIPIENTS } from '../../../send-input/send-limits';

const ENTRY_FIELDS = [
  'message',
  'smsBody',
  'encrypted',
  'encryptedMessage',
  'recipients',
  'receivers',
  'listId',
  'simSubscriptionId',
  'scheduledAt',
] as const satisfies (keyof SendEntryRequest)[];

/** The body of send-sms, or of send-bulk-sms. */
@CombinedRequest()
export class EstimateRequest extends SendSmsRequest {
  @ApiPropertyOptional({
    type: [SendEntryRequest],
    description: 'Texts with their recipients, as in send-bulk-sms, instead of the fields of one text',
    minItems: 1,
    maxItems: MAX_RECIPIENTS,
  })
  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_RECIPIENTS)
  @ValidateNested({ each: true })
  @Type(() => SendEntryRequest)
  messages?: SendEntryRequest[];

  @OptionalText('Label for the batch; only with messages', 'Hi {name}', MAX_RAW_TEXT_LENGTH)
  messageTemplate?: string;

  /** @throws ValidationFailed if the fields of both forms are mixed. */
  override toSendInput(): SendInput {
    const { messages, messageTemplate } = this;
    const errors = new FieldErrors();
    for (const field of messages ? ENTRY_FIELDS : [])
      if (this[field] !== undefined)
        errors.add(field, `is misplaced; did you mean ${field} in each entry of messages?`);
    if (!messages && messageTemplate !== undefined) errors.add('messageTemplate', 'requires messages');
    errors.throwIfAny();
    return messages ? bulkSendInput(this, messages) : super.toSendInput();
  }
}
