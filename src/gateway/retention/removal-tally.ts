import type { Types } from 'mongoose';
import type { RemovedUsage } from '../../billing/usage.schema';
import { monthOf, sumOf } from '../../billing/day-charge';
import { isInMonth } from '../../billing/usage-period';
import type { StoredTotals } from '../../devices/device-totals.repository';
import type { RemovedTotals } from '../../devices/device.schema';
import { addRemoved } from '../../messages/batch-progress';
import type { RemovedProgress } from '../../messages/batch.schema';
import type { RemovedBatch, RemovedMessage } from '../../messages/message-removal.repository';
import { chargesOfBatch } from '../batch-charges';

/** What one base is to be, and the chunk it holds until then: so that it is written once. */
export interface BaseChange<Base> {
  readonly id: Types.ObjectId;
  readonly before?: Types.ObjectId;
  readonly removed: Base;
}

/** What a chunk of messages adds to which base, and which batches end with it. */
export interface RemovalTally {
  readonly devices: readonly BaseChange<RemovedTotals>[];
  readonly batches: readonly BaseChange<RemovedProgress>[];
  readonly endedBatches: readonly Types.ObjectId[];
  /** Absent when nothing of it is charged to the month that is running. */
  readonly usage?: BaseChange<RemovedUsage>;
}

/** The records the messages of a chunk belong to, as they are before it. */
export interface RemovalContext {
  readonly chunk: Types.ObjectId;
  readonly user: Types.ObjectId;
  readonly devices: readonly StoredTotals[];
  readonly batches: readonly RemovedBatch[];
  /** How many messages each batch has, by its id. */
  readonly messagesByBatch: ReadonlyMap<string, number>;
  readonly usageBefore: RemovedUsage | undefined;
  /** The UTC month that is running. */
  readonly month: string;
}

export function tallyRemoval(messages: readonly RemovedMessage[], context: RemovalContext): RemovalTally {
  const byBatch = group(messages, ({ smsBatch }) => smsBatch);
  const of = ({ _id }: RemovedBatch) => byBatch.get(_id.toHexString()) ?? [];
  const ends = (batch: RemovedBatch) =>
    (context.messagesByBatch.get(batch._id.toHexString()) ?? 0) <= of(batch).length;
  const ended = context.batches.filter(ends);
  const usage = usageChange(messages, ended, context);
  return {
    devices: deviceChanges(messages, context),
    batches: context.batches
      .filter((batch) => !ends(batch))
      .map((batch) => change(batch, addRemoved(batch.removed, of(batch), context.chunk))),
    endedBatches: ended.map(({ _id }) => _id),
    ...(usage && { usage }),
  };
}

function change<Base>(
  { _id, removed: before }: { _id: Types.ObjectId; removed?: { chunk: Types.ObjectId } },
  removed: Base,
): BaseChange<Base> {
  return { id: _id, ...(before && { before: before.chunk }), removed };
}

function deviceChanges(
  messages: readonly RemovedMessage[],
  { devices, chunk }: RemovalContext,
): BaseChange<RemovedTotals>[] {
  const byDevice = group(
    messages.filter(({ countedAt }) => countedAt),
    ({ device }) => device,
  );
  return devices.flatMap((device) => {
    const counted = byDevice.get(device._id.toHexString()) ?? [];
    const received = counted.filter(({ direction }) => direction === 'received').length;
    const { removed } = device;
    if (counted.length === 0) return [];
    return change(device, {
      sent: (removed?.sent ?? 0) + counted.length - received,
      received: (removed?.received ?? 0) + received,
      chunk,
    });
  });
}

/** The month's count is the sum over its batches, however many of their messages are left, and its received messages. */
function usageChange(
  messages: readonly RemovedMessage[],
  endedBatches: readonly RemovedBatch[],
  { user, chunk, month, usageBefore }: RemovalContext,
): BaseChange<RemovedUsage> | undefined {
  const received = messages.filter(
    ({ direction, countedAt }) => direction === 'received' && countedAt && isInMonth({ month }, countedAt),
  ).length;
  const sent = endedBatches.reduce((sum, batch) => sum + chargedIn(month, batch), 0);
  if (received + sent === 0) return undefined;
  const before = usageBefore?.month === month ? usageBefore.count : 0;
  return change({ _id: user, removed: usageBefore }, { month, count: before + received + sent, chunk });
}

function chargedIn(month: string, batch: RemovedBatch): number {
  const { createdAt, recipientCount, cancelledCount = 0 } = batch;
  if (batch.chargedDays) return sumOf(chargesOfBatch(batch).filter(({ day }) => monthOf(day) === month));
  return isInMonth({ month }, createdAt) ? recipientCount - cancelledCount : 0;
}

function group<Item>(
  items: readonly Item[],
  idOf: (item: Item) => Types.ObjectId | undefined,
): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const id = idOf(item)?.toHexString();
    if (id === undefined) continue;
    const members = groups.get(id);
    if (members) members.push(item);
    else groups.set(id, [item]);
  }
  return groups;
}
