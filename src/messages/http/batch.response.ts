import type { StreamableFile } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Id, Time, OptionalTime } from '../../common/http/responses/fields';
import { jsonListItems, streamJson } from '../../common/http/responses/json-stream';
import {
  BATCH_STATUSES,
  batchProgress,
  type BatchStatus,
  type CountedOutcome,
  type MessageOutcome,
} from '../batch-progress';
import { type Batch, BATCH_PURPOSES, type BatchPurpose } from '../batch.schema';
import type { Message } from '../message.schema';
import type { BatchView } from '../messages.service';
import { MessageResponse, toMessageResponse } from './message.response';

export class BatchResponse {
  @Id('Batch id')
  _id!: string;

  @Id('Owner account id')
  user!: string;

  @ApiPropertyOptional({ description: 'Text, if it is the same for all recipients', example: 'Hello' })
  message?: string;

  @ApiPropertyOptional({ description: 'Whether the text is end-to-end encrypted' })
  encrypted?: boolean;

  @ApiPropertyOptional({
    description: 'Encrypted text, if it is the same for all recipients; message is empty then',
    example: 'v1:kJ2m0Q9xWb7t4nZs8eYh3A==',
  })
  encryptedMessage?: string;

  @ApiProperty({ description: 'Recipients in the batch', example: 25 })
  recipientCount!: number;

  @ApiPropertyOptional({ description: 'The first recipients', example: '+447700900123 and 24 more' })
  recipientPreview?: string;

  @ApiProperty({ description: 'Messages sent so far', example: 20 })
  successCount!: number;

  @ApiProperty({
    description: 'Messages that failed, including those cancelled and those to blocked recipients',
    example: 1,
  })
  failureCount!: number;

  @ApiProperty({ description: 'Messages that were cancelled; included in failureCount', example: 0 })
  cancelledCount!: number;

  @ApiProperty({
    description: 'Messages that were not sent because their recipients are blocked; included in failureCount',
    example: 0,
  })
  suppressedCount!: number;

  @ApiPropertyOptional({
    enum: BATCH_PURPOSES,
    enumName: 'BatchPurpose',
    description:
      'What its messages are for, if that was declared. consent: an automatic reply to STOP, START or HELP',
    example: 'transactional',
  })
  purpose?: BatchPurpose;

  @ApiPropertyOptional({
    description: 'What its messages are about, if that was declared',
    example: 'offers',
  })
  topic?: string;

  @ApiPropertyOptional({ description: 'Label of the batch', example: 'Hi {name}' })
  messageTemplate?: string;

  @ApiPropertyOptional({
    enum: BATCH_STATUSES,
    description:
      'Progress of the batch; absent on batches stored before status tracking; sent and delivered occur on older batches only',
    example: 'processing',
  })
  status?: BatchStatus;

  @ApiPropertyOptional({
    description: 'Reason of the first failure, not counting cancellations and blocked recipients',
    example: 'The phone has no service. Move it to where it has signal and send again.',
  })
  error?: string;

  @OptionalTime('When the batch finished')
  completedAt?: Date;

  @Time('When the batch was created')
  createdAt!: Date;

  @Time('When it was last updated')
  updatedAt!: Date;
}

export class BatchWithMessagesResponse {
  @ApiProperty({ description: 'The batch' })
  batch!: BatchResponse;

  @ApiProperty({ type: [MessageResponse], description: 'Its messages, one per recipient' })
  messages!: MessageResponse[];
}

/** Larger batches are streamed. */
const MAX_UNSTREAMED_RECIPIENTS = 100;

const outcomeOf = ({ status, settledAt, failedAt, errorCode, errorMessage }: Message): MessageOutcome => ({
  status,
  settledAt,
  failedAt,
  errorCode,
  errorMessage,
});

/** Builds the response of a batch; a large batch is streamed, and its outcomes alone are kept in memory. */
export async function toBatchWithMessagesResponse(
  view: BatchView,
): Promise<BatchWithMessagesResponse | StreamableFile> {
  if (view.batch.recipientCount > MAX_UNSTREAMED_RECIPIENTS) return streamJson(batchJson(view));
  const views = [];
  for await (const each of view.messages) views.push(each);
  const messages = views.map(({ message }) => message);
  return {
    batch: toBatchResponse(view.batch, messages, lastUpdate(messages)),
    messages: views.filter(({ message }) => !message.deletedAt).map(toMessageResponse),
  };
}

/** Writes the messages first, because the progress is known only after the last of them is read. */
async function* batchJson({ batch, messages }: BatchView): AsyncGenerator<string> {
  const outcomes: MessageOutcome[] = [];
  let lastUpdateMs = 0;
  const recorded = async function* () {
    for await (const view of messages) {
      outcomes.push(outcomeOf(view.message));
      lastUpdateMs = Math.max(lastUpdateMs, view.message.updatedAt.getTime());
      if (!view.message.deletedAt) yield view;
    }
  };
  let start = '{"data":{"messages":[';
  for await (const item of jsonListItems(recorded(), toMessageResponse)) {
    yield start + item;
    start = '';
  }
  yield `${start}],"batch":${JSON.stringify(toBatchResponse(batch, outcomes, lastUpdateMs))}}}`;
}

export const lastUpdate = (messages: readonly Pick<Message, 'updatedAt'>[]) =>
  messages.reduce((last, { updatedAt }) => Math.max(last, updatedAt.getTime()), 0);

export function toBatchResponse(
  batch: Batch,
  messages: readonly CountedOutcome[],
  lastUpdateMs: number,
): BatchResponse {
  return {
    ...toBatchFields(batch),
    ...batchProgress(messages),
    updatedAt: new Date(Math.max(lastUpdateMs, batch.updatedAt.getTime())),
  };
}

/** The fields of a batch that do not depend on its messages. */
export const toBatchFields = (batch: Omit<Batch, 'groups'>) => ({
  _id: batch._id.toHexString(),
  user: batch.user.toHexString(),
  message: batch.encrypted ? '' : batch.message,
  encrypted: batch.encrypted,
  encryptedMessage: batch.encryptedMessage,
  recipientCount: batch.recipientCount,
  recipientPreview: batch.recipientPreview,
  purpose: batch.purpose,
  topic: batch.topic,
  messageTemplate: batch.messageTemplate,
  createdAt: batch.createdAt,
  updatedAt: batch.updatedAt,
});
