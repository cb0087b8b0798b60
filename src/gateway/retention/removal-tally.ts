import type { Types } from 'mongoose';
import type { RemovedUsage, Usage } from '../../billing/usage/usage.schema';
import { type DayCharge, monthOf, sumOf } from '../../billing/usage/day-charge';
import { isInMonth, periodOf, type UsagePeriod } from '../../billing/usage/usage-period';
import type { StoredTotals } from '../../devices/device-totals.repository';
import type { RemovedTotals } from '../../devices/device.schema';
import { addRemoved } from '../../messages/batch-progress';
import type { RemovedProgress } from '../../messages/batch.schema';
import type { RemovedBatch, RemovedMessage } from '../../messages/message-removal.repository';
import { chargesOfBatch } from '../sends/batch-charges';

/** What one base is to be, and the chunk it holds until then: so that it is written once. */
export interface BaseChange<Base> {
  readonly id: Types.ObjectId;
  readonly before?: Types.ObjectId;
  readonly removed: Base;
}

/** `days`, the amounts by UTC day, is absent where they do not change. */
export interface UsageChange extends BaseChange<RemovedUsage> {
  readonly days?: Record<string, number>;
}

/** What a chunk of messages adds to which base, and which batches end with it. */
export interface RemovalTally {
  readonly devices: readonly BaseChange<RemovedTotals>[];
  readonly batches: readonly BaseChange<RemovedProgress>[];
  readonly endedBatches: readonly Types.ObjectId[];
  /** Absent when nothing of it is charged to the month that is running, or to a later day. */
  readonly usage?: UsageChange;
}

/** The records the messages of a chunk belong to, as they are before it. */
export interface RemovalContext {
  readonly chunk: Types.ObjectId;
  readonly user: Types.ObjectId;
  readonly devices: readonly StoredTotals[];
  readonly batches: readonly RemovedBatch[];
  /** How many messages each batch has, by its id. */
  readonly messagesByBatch: ReadonlyMap<string, number>;
  readonly usage: Pick<Usage, 'removed' | 'removedDays'> | null;
  /** The UTC day and month that are running. */
  readonly now: UsagePeriod;
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

/**
 * The month's count is the sum over its batches, however many of their messages are left, and its received messages.
 * A phone may report a scheduled message before its time: what is charged to a day that is not over is kept by day.
 */
function usageChange(
  messages: readonly RemovedMessage[],
  endedBatches: readonly RemovedBatch[],
  { user, chunk, now: { day: today, month }, usage }: RemovalContext,
): UsageChange | undefined {
  const received = messages.filter(
    ({ direction, countedAt }) => direction === 'received' && countedAt && isInMonth({ month }, countedAt),
  ).length;
  const charges = endedBatches.flatMap(chargesLeft).filter(({ count }) => count > 0);
  const ahead = charges.filter(({ day }) => day >= today);
  const sent = sumOf(charges.filter(({ day }) => day < today && monthOf(day) === month));
  if (received + sent + ahead.length === 0) return undefined;
  const before = usage?.removed?.month === month ? usage.removed.count : 0;
  const removed = { month, count: before + received + sent, chunk };
  return {
    ...change({ _id: user, ...(usage?.removed && { removed: usage.removed }) }, removed),
    ...(ahead.length > 0 && { days: addDays(usage?.removedDays, ahead, month) }),
  };
}

/** What a batch is charged, without what was cancelled. */
function chargesLeft(batch: RemovedBatch): DayCharge[] {
  if (batch.chargedDays) return chargesOfBatch(batch);
  const { createdAt, recipientCount, cancelledCount = 0 } = batch;
  return [{ day: periodOf(createdAt).day, count: recipientCount - cancelledCount }];
}

/** Adds charges to amounts by day; days of months before `month` are left out. */
function addDays(
  before: Usage['removedDays'],
  charges: readonly DayCharge[],
  month: string,
): Record<string, number> {
  const days = new Map(Object.entries(before ?? {}).filter(([day]) => monthOf(day) >= month));
  for (const { day, count } of charges) days.set(day, (days.get(day) ?? 0) + count);
  return Object.fromEntries(days);
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
