import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Id, Time, TimeIfKnown } from '../../common/http/fields';
import { BATCH_STATUSES, type BatchStatus } from '../batch-progress';
import { BatchView } from '../messages.service';
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

export function toBatchResponse({ batch, progress, messages }: BatchView): BatchWithMessagesResponse {
  const lastChange = messages.reduce(
    (last, { message }) => Math.max(last, message.updatedAt.getTime()),
    Math.max(batch.updatedAt.getTime(), batch.removed?.updatedAt.getTime() ?? 0),
  );
  return {
    batch: {
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
      updatedAt: new Date(lastChange),
    },
    messages: messages.map(toMessageResponse),
  };
}
