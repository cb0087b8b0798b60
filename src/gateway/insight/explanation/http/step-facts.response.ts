import { ApiPropertyOptional } from '@nestjs/swagger';
import { OptionalTime } from '../../../../common/http/responses/fields';
import type { StepFacts } from '../step-facts';

export class StepFactsResponse implements StepFacts {
  @ApiPropertyOptional({ description: 'Name of the phone; absent if it has none', example: 'Front desk' })
  phone?: string;

  @ApiPropertyOptional({ description: 'Name of another phone that was handed it', example: 'Warehouse' })
  otherPhone?: string;

  @ApiPropertyOptional({ description: 'Label or number of the SIM', example: 'Work' })
  sim?: string;

  @ApiPropertyOptional({ description: 'Network of a SIM without a label and number', example: 'Vodafone' })
  simNetwork?: string;

  @ApiPropertyOptional({ description: 'Slot of a SIM without a label and number, from 1', example: 1 })
  simSlot?: number;

  @ApiPropertyOptional({
    description: 'Android subscription id that the request named or the phone reported',
    example: 1,
  })
  simSubscriptionId?: number;

  @ApiPropertyOptional({ description: 'Name of the pool', example: 'Sales' })
  pool?: string;

  @ApiPropertyOptional({ description: 'Whether a pool chooses the SIM; absent: no', example: true })
  ofPool?: boolean;

  @ApiPropertyOptional({ description: 'Id of the batch', example: '665f1c2ab7e1d4a9c0f3e812' })
  batch?: string;

  @ApiPropertyOptional({ description: 'Recipients of the send', example: 25 })
  recipients?: number;

  @ApiPropertyOptional({ description: 'Priority of the message', example: 'urgent' })
  priority?: string;

  @ApiPropertyOptional({ description: 'Messages that leave at the pace of the phone', example: 900 })
  messages?: number;

  @ApiPropertyOptional({
    description: 'How the phone was reached: `fcm`, `stream` or `wake`',
    example: 'stream',
  })
  transport?: string;

  @ApiPropertyOptional({ description: 'Attempts so far', example: 2 })
  attempts?: number;

  @ApiPropertyOptional({
    description: 'Why it waits, as in `waitingFor`; why the pool chose the SIM; or why there is no report',
    example: 'quiet_hours',
  })
  reason?: string;

  @ApiPropertyOptional({ description: 'Error code, as in `errorCode`', example: '4' })
  code?: string;

  @ApiPropertyOptional({
    description: 'What the phone reported, in its own words',
    example: 'RESULT_ERROR_NO_SERVICE',
  })
  reported?: string;

  @ApiPropertyOptional({
    description: 'Who decided that the recipient is blocked: `keyword`, `web` or `api`',
    example: 'keyword',
  })
  source?: string;

  @ApiPropertyOptional({ description: 'What the recipient wrote', example: 'STOP' })
  words?: string;

  @OptionalTime('When the recipient wrote it, or the owner decided')
  saidAt?: string;

  @ApiPropertyOptional({
    description: 'Status of the message, or the one that the phone reported afterwards',
    example: 'delivered',
  })
  status?: string;

  @ApiPropertyOptional({
    description: 'Whether the phone reported otherwise afterwards; absent: no',
    example: true,
  })
  contradicted?: boolean;

  @ApiPropertyOptional({ description: 'Whether the phone confirmed; absent: no', example: true })
  confirmed?: boolean;

  @ApiPropertyOptional({ description: 'SMS parts of the text', example: 3 })
  parts?: number;

  @OptionalTime('Since when')
  since?: string;

  @OptionalTime('Until when it waits, or is handed over again')
  until?: string;

  @OptionalTime('When it, or the next attempt, is due; absent if that is now')
  dueAt?: string;

  @ApiPropertyOptional({ description: 'Sender of a received message', example: '+4915112345678' })
  sender?: string;

  @ApiPropertyOptional({
    description: 'Field that could not be read: `sender`, `message` or `receivedAt`',
    example: 'receivedAt',
  })
  field?: string;

  @ApiPropertyOptional({ description: 'Name of the webhook', example: 'Orders' })
  webhook?: string;

  @ApiPropertyOptional({ description: 'Host of its URL', example: 'hooks.example.com' })
  host?: string;

  @ApiPropertyOptional({
    description: 'Names of the webhooks that get the event',
    example: 'Orders (hooks.example.com), Log',
  })
  webhooks?: string;

  @ApiPropertyOptional({ description: 'How many more webhooks or deliveries there are', example: 7 })
  more?: number;

  @ApiPropertyOptional({ description: 'Webhook event, or several', example: 'MESSAGE_SENT' })
  event?: string;

  @ApiPropertyOptional({ description: 'Status of the last answer of the webhook', example: 500 })
  httpStatus?: number;

  @ApiPropertyOptional({
    description: 'Whether relaying the event failed repeatedly; absent: no',
    example: true,
  })
  setAside?: boolean;
}
