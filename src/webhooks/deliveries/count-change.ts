import type { CountChange, DeliveryStatus } from './delivery.schema';

type Counts = Omit<CountChange, 'at'>;

/** What a change of a delivery's status adds to the counters of its subscription. */
export function statusChange(before: DeliveryStatus, after: DeliveryStatus): Omit<Counts, 'attempts'> {
  const change = (status: DeliveryStatus) => Number(after === status) - Number(before === status);
  return { delivered: change('delivered'), failed: change('failed') };
}

/** A value, or the path of a field of the updated document. */
type OrPath<Value> = Value | `$${string}`;

/**
 * The fields of an update pipeline that record a change to the counters of the subscription, in the same write as the
 * change itself.
 * @param countedThrough changes before this time are dropped, because the counters include them.
 */
export function countChange(
  counts: { readonly [Name in keyof Counts]?: OrPath<number> },
  countedThrough?: OrPath<Date>,
) {
  const before = { $ifNull: ['$changes', []] };
  const kept = countedThrough
    ? { $filter: { input: before, cond: { $gte: ['$$this.at', countedThrough] } } }
    : before;
  const change = { at: '$$NOW', attempts: 0, delivered: 0, failed: 0, ...counts };
  return { changes: { $concatArrays: [kept, [change]] }, countedAt: '$$NOW' };
}
