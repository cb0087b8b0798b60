import type { StreamableFile } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Id, Time, TimeIfKnown } from '../../common/http/fields';
import { jsonItems, streamedJson } from '../../common/http/json-stream';
import { BATCH_STATUSES, batchProgress, type BatchStatus } from '../batch-progress';
import type { Batch } from '../batch.schema';
import type { Message } from '../message.schema';
import type { BatchView } from '../messages.service';
import { MessageResponse, toMessageResponse } from './message.response';

class BatchResponse {
  @Id('Batch id')
  _id!: string;

  @Id('Owner account id')
  user!: string;

  @ApiPropertyOptional({
    type: String,
    description: 'Text, when every recipient got the same',
    example: 'Hello',
  })
  message?: string;

  @ApiPropertyOptional({ type: Boolean, description: 'Whether the text is end-to-end encrypted' })
  encrypted?: boolean;

  @ApiProperty({ type: Number, description: 'Recipients in the batch', example: 25 })
  recipientCount!: number;

  @ApiPropertyOptional({
    type: String,
    description: 'The first recipients',
    example: '+447700900123 and 24 more',
  })
  recipientPreview?: string;

  @ApiProperty({ type: Number, description: 'Messages sent so far', example: 20 })
  successCount!: number;

  @ApiProperty({ type: Number, description: 'Messages that failed, those cancelled among them', example: 1 })
  failureCount!: number;

  @ApiProperty({ type: Number, description: 'Of the failed messages, those that were cancelled', example: 0 })
  cancelledCount!: number;

  @ApiPropertyOptional({ type: String, description: 'Label of the batch', example: 'Hi {name}' })
  messageTemplate?: string;

  @ApiPropertyOptional({
    enum: BATCH_STATUSES,
    description:
      'Progress of the batch; absent on batches stored before status tracking, and only older ones are sent or delivered',
    example: 'processing',
  })
  status?: BatchStatus;

  @ApiPropertyOptional({
    type: String,
    description: 'Reason of the first failure; a cancelled message is none',
    example: 'The phone has no service. Move it to where it has signal and send again.',
  })
  error?: string;

  @TimeIfKnown('When the batch finished')
  completedAt?: Date;

  @Time('When the batch was created')
  createdAt!: Date;

  @Time('When it was last updated')
  updatedAt!: Date;
}

/** A batch with its messages, one a recipient. */
export class BatchWithMessagesResponse {
  @ApiProperty({ type: BatchResponse, description: 'The batch' })
  batch!: BatchResponse;

  @ApiProperty({ type: [MessageResponse], description: 'Its messages, one a recipient' })
  messages!: MessageResponse[];
}

/** A batch of so many recipients is answered at once, a larger one as its messages are read. */
const MAX_WHOLE_RECIPIENTS = 100;

/** What the batch says of a message; of a large batch nothing more is kept of those that are written already. */
type Followed = Pick<Message, 'status' | 'settledAt' | 'failedAt' | 'errorCode' | 'errorMessage'>;

const followed = ({ status, settledAt, failedAt, errorCode, errorMessage }: Message): Followed => ({
  status,
  settledAt,
  failedAt,
  errorCode,
  errorMessage,
});

/** Writes a batch with its messages. @throws what reading its first messages throws. */
export async function answerBatch(view: BatchView): Promise<BatchWithMessagesResponse | StreamableFile> {
  if (view.batch.recipientCount > MAX_WHOLE_RECIPIENTS) return streamedJson(batchJson(view));
  const messages: Message[] = [];
  for await (const message of view.messages) messages.push(message);
  return {
    batch: toBatchResponse(view.batch, messages, lastChange(messages)),
    messages: messages.map((message) => toMessageResponse({ message, device: view.device })),
  };
}

/** The messages come first: how far the batch is, is known when the last of them is read. */
async function* batchJson({ batch, device, messages }: BatchView): AsyncGenerator<string> {
  const seen: Followed[] = [];
  let lastSeen = 0;
  const watched = async function* () {
    for await (const message of messages) {
      seen.push(followed(message));
      lastSeen = Math.max(lastSeen, message.updatedAt.getTime());
      yield message;
    }
  };
  let start = '{"data":{"messages":[';
  for await (const item of jsonItems(watched(), (message) => toMessageResponse({ message, device }))) {
    yield start + item;
    start = '';
  }
  yield `${start}],"batch":${JSON.stringify(toBatchResponse(batch, seen, lastSeen))}}}`;
}

const lastChange = (messages: readonly Message[]) =>
  messages.reduce((last, { updatedAt }) => Math.max(last, updatedAt.getTime()), 0);

function toBatchResponse(batch: Batch, messages: readonly Followed[], lastChangeMs: number): BatchResponse {
  const progress = batchProgress(messages, batch.removed);
  return {
    _id: batch._id.toHexString(),
    user: batch.user.toHexString(),
    message: batch.encrypted ? '' : batch.message,
    encrypted: batch.encrypted,
    recipientCount: batch.recipientCount,
    recipientPreview: batch.recipientPreview,
    successCount: progress.successCount,
    failureCount: progress.failureCount,
    cancelledCount: progress.cancelledCount,
    messageTemplate: batch.messageTemplate,
    status: progress.status,
    error: progress.error,
    completedAt: progress.completedAt,
    createdAt: batch.createdAt,
    updatedAt: new Date(
      Math.max(lastChangeMs, batch.updatedAt.getTime(), batch.removed?.updatedAt.getTime() ?? 0),
    ),
  };
}
