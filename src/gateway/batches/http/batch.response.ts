import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { Count, Id, listMeta, OptionalId, OptionalTime } from '../../../common/http/responses/fields';
import type { Batch } from '../../../messages/batch.schema';
import {
  BatchResponse,
  lastUpdate,
  toBatchFields,
  toBatchResponse,
} from '../../../messages/http/batch.response';
import { PRIORITIES, type Priority } from '../../../messages/message.schema';
import type { QuietHours } from '../../../messages/batch.schema';
import { HeldBackResponse } from './held-back.response';
import type { StateCounts } from '../batch-forecast';
import type { ListedBatch } from '../batch-views.repository';
import type { BatchSummary } from '../batch-views.service';

class BatchQuietHours {
  @ApiProperty({ description: 'Start, in the time of the recipient', example: '21:00' })
  from!: string;

  @ApiProperty({ description: 'End, in the time of the recipient', example: '08:00' })
  to!: string;
}

class BatchStates implements StateCounts {
  @Count('Messages that wait on the server', 500)
  pending!: number;

  @Count('Messages that a phone was handed and has not reported', 500)
  dispatched!: number;

  @Count('Messages that were sent, and not reported as delivered', 500)
  sent!: number;

  @Count('Messages that were delivered', 500)
  delivered!: number;

  @Count('Messages that failed, cancelled and suppressed ones included', 500)
  failed!: number;

  @Count('Messages of which it is not known whether they were sent', 500)
  unknown!: number;
}

class BatchSim extends BatchStates {
  @Id('SIM id')
  sim!: string;

  @Id('Device the SIM is in; one that moved during the batch is listed for each')
  device!: string;

  @Count('How many messages', 500)
  messages!: number;
}

export class BatchSummaryResponse extends BatchResponse {
  @ApiProperty({
    type: [String],
    description: 'Devices that carry its messages',
    example: ['665f1c2ab7e1d4a9c0f3e812'],
  })
  devices!: string[];

  @OptionalId('Pool it was sent to')
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

  @ApiProperty({ type: [HeldBackResponse], description: 'Messages that wait on the server, by the reason' })
  heldBack!: HeldBackResponse[];
}

/** A batch in the list: its progress, which is derived from its messages, is left out. */
export class ListedBatchResponse extends OmitType(BatchSummaryResponse, [
  'successCount',
  'failureCount',
  'cancelledCount',
  'suppressedCount',
  'status',
  'error',
  'completedAt',
  'expectedCompletionAt',
  'states',
  'sims',
  'heldBack',
] as const) {}

export class BatchListMetaResponse extends listMeta('batches', 20) {}

export function toListedBatchResponse(batch: ListedBatch): ListedBatchResponse {
  return { ...toBatchFields(batch), ...planOf(batch, batch.scheduledAt ?? undefined) };
}

export function toBatchSummaryResponse(summary: BatchSummary): BatchSummaryResponse {
  const { batch, outcomes, states, expectedCompletionAt, sims, heldBack } = summary;
  const times = batch.groups.flatMap(({ scheduledAt }) => scheduledAt ?? []);
  const [firstTime] = times.sort((one, other) => one.getTime() - other.getTime());
  return Object.assign(toBatchResponse(batch, outcomes, lastUpdate(outcomes)), planOf(batch, firstTime), {
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

/** The phones, the times and the send options of a batch. */
function planOf(batch: Omit<Batch, 'groups'>, scheduledAt: Date | undefined) {
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
