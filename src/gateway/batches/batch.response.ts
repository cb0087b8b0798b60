import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { Id, OptionalTime } from '../../common/http/responses/fields';
import { WAIT_REASONS, type WaitReason } from '../../devices/sims/wait-reasons';
import type { Batch } from '../../messages/batch.schema';
import { BatchResponse, toBatchResponse } from '../../messages/dto/batch.response';
import { PRIORITIES, type Priority } from '../../messages/message.schema';
import type { QuietHours } from '../../messages/batch.schema';
import type { StateCounts } from './batch-forecast';
import type { ListedBatch } from './batch-views.repository';
import type { BatchPage, BatchSummary } from './batch-views.service';

class BatchQuietHours {
  @ApiProperty({ description: 'Start, in the time of the recipient', example: '21:00' })
  from!: string;

  @ApiProperty({ description: 'End, in the time of the recipient', example: '08:00' })
  to!: string;
}

class BatchHeldBack {
  @ApiProperty({ enum: WAIT_REASONS, description: 'What the messages wait for', example: 'messages_per_day' })
  reason!: WaitReason;

  @ApiProperty({ type: 'integer', description: 'How many messages', example: 120 })
  count!: number;

  @OptionalTime('When the last of them can leave, by what is known; absent if that is not known')
  until?: Date;
}

const Count = (description: string) => ApiProperty({ type: 'integer', description, example: 500 });

class BatchStates implements StateCounts {
  @Count('Messages that wait on the server')
  pending!: number;

  @Count('Messages that a phone was handed and has not reported')
  dispatched!: number;

  @Count('Messages that were sent, and not reported as delivered')
  sent!: number;

  @Count('Messages that were delivered')
  delivered!: number;

  @Count('Messages that failed, cancelled ones included')
  failed!: number;

  @Count('Messages of which it is not known whether they were sent')
  unknown!: number;
}

class BatchSim extends BatchStates {
  @Id('SIM id')
  sim!: string;

  @Id('Device the SIM is in; one that moved during the batch is listed for each')
  device!: string;

  @Count('How many messages')
  messages!: number;
}

export class BatchSummaryResponse extends BatchResponse {
  @ApiProperty({
    type: [String],
    description: 'Devices that carry its messages',
    example: ['665f1c2ab7e1d4a9c0f3e812'],
  })
  devices!: string[];

  @ApiPropertyOptional({
    type: String,
    description: 'Pool it was sent to',
    example: '665f1c2ab7e1d4a9c0f3e812',
  })
  poolId?: string;

  @OptionalTime('When it was asked to be sent; of several times the first')
  scheduledAt?: Date;

  @OptionalTime('When a large batch is expected to be sent; absent while it is paused')
  estimatedCompletionAt?: Date;

  @OptionalTime('When it was paused; absent unless it is paused')
  pausedAt?: Date;

  @ApiPropertyOptional({ enum: PRIORITIES, description: 'Its priority; absent: normal' })
  priority?: Priority;

  @OptionalTime('Messages that have not been handed to a phone by then fail')
  validUntil?: Date;

  @ApiPropertyOptional({
    type: BatchQuietHours,
    description: 'Hours of the recipients in which messages wait',
  })
  quietHours?: QuietHours;

  @OptionalTime(
    'When the last message that waits is expected to be sent, by what is known now; absent if none waits, or those that wait have no time, as while it is paused',
  )
  expectedCompletionAt?: Date;

  @ApiProperty({ description: 'How many messages are in each state' })
  states!: BatchStates;

  @ApiProperty({ type: [BatchSim], description: 'SIMs its messages go out by, as far as they are chosen' })
  sims!: BatchSim[];

  @ApiProperty({ type: [BatchHeldBack], description: 'Messages that wait on the server, by the reason' })
  heldBack!: BatchHeldBack[];
}

/** A batch in the list: its progress, which is derived from its messages, is left out. */
export class ListedBatchResponse extends OmitType(BatchSummaryResponse, [
  'successCount',
  'failureCount',
  'cancelledCount',
  'status',
  'error',
  'completedAt',
  'expectedCompletionAt',
  'states',
  'sims',
  'heldBack',
] as const) {}

/** What a batch shows besides the fields of the specification and its progress. */
type BatchPlan = Pick<
  BatchSummaryResponse,
  | 'devices'
  | 'poolId'
  | 'scheduledAt'
  | 'estimatedCompletionAt'
  | 'pausedAt'
  | 'priority'
  | 'validUntil'
  | 'quietHours'
>;

export class BatchListMetaResponse implements Omit<BatchPage, 'batches'> {
  @ApiProperty({ type: 'integer', description: 'Batches per page', example: 20 })
  limit!: number;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Cursor of the next page; null on the last page',
    example: 'MTc2OTg2MDgwMDAwMC42NjVmMWMyYWI3ZTFkNGE5YzBmM2U4MTIuZGVzYw',
  })
  nextCursor!: string | null;

  @ApiProperty({ description: 'Whether there are more batches' })
  hasMore!: boolean;
}

export function toListedBatchResponse(batch: ListedBatch): ListedBatchResponse {
  const own = {
    _id: batch._id.toHexString(),
    user: batch.user.toHexString(),
    message: batch.encrypted ? '' : batch.message,
    encrypted: batch.encrypted,
    encryptedMessage: batch.encryptedMessage,
    recipientCount: batch.recipientCount,
    recipientPreview: batch.recipientPreview,
    messageTemplate: batch.messageTemplate,
    createdAt: batch.createdAt,
    updatedAt: batch.updatedAt,
  };
  return Object.assign(own, planOf(batch, batch.scheduledAt ?? undefined));
}

export function toBatchSummaryResponse(summary: BatchSummary): BatchSummaryResponse {
  const { batch, outcomes, states, expectedCompletionAt, sims, heldBack } = summary;
  const times = batch.groups.flatMap(({ scheduledAt }) => scheduledAt ?? []);
  const firstTime = times.reduce<Date | undefined>(
    (first, time) => (first && first < time ? first : time),
    undefined,
  );
  const lastUpdateMs = outcomes.reduce((last, { updatedAt }) => Math.max(last, updatedAt.getTime()), 0);
  return Object.assign(toBatchResponse(batch, outcomes, lastUpdateMs), planOf(batch, firstTime), {
    expectedCompletionAt,
    states,
    sims: sims.map(({ sim, device, messages, states: ofSim }) => ({
      sim: sim.toHexString(),
      device: device.toHexString(),
      messages,
      ...ofSim,
    })),
    heldBack: [...heldBack],
  });
}

function planOf(batch: Omit<Batch, 'groups'>, scheduledAt: Date | undefined): BatchPlan {
  const { device, devices = [device], pool, pausedAt, estimatedCompletionAt } = batch;
  return {
    devices: devices.map((id) => id.toHexString()),
    poolId: pool?.toHexString(),
    scheduledAt,
    estimatedCompletionAt: pausedAt ? undefined : estimatedCompletionAt,
    pausedAt,
    priority: batch.priority,
    validUntil: batch.validUntil,
    quietHours: batch.quietHours,
  };
}
