import type { Types } from 'mongoose';
import { groupsOf } from '../../common/group-by';
import type { Message } from '../../messages/message.schema';

/** A message as a worker has read it. */
export type ReadMessage = Pick<Message, '_id' | 'user' | 'device' | 'pool'>;

type Placed = Omit<ReadMessage, 'user'>;

/**
 * Condition of the messages that were not moved since a worker read them: out of their pool, or, without one, to another phone. A
 * decision that was made for the phone before must not be stored.
 */
export function notMoved(messages: readonly Placed[]) {
  const ofPool = messages.filter(({ pool }) => pool);
  const withoutPool = messages.filter(({ pool }) => !pool);
  const places: object[] = groupsOf(withoutPool, ({ device }) => device.toHexString()).map((same) => ({
    device: same[0].device,
    ...amongOthers(same, messages),
  }));
  if (ofPool.length > 0) places.push({ pool: { $exists: true }, ...amongOthers(ofPool, messages) });
  if (places.length === 0) return { $and: [{ _id: { $in: [] } }] };
  return { $and: [places.length === 1 ? { ...places[0] } : { $or: places }] };
}

const amongOthers = (some: readonly Placed[], all: readonly Placed[]): { _id?: { $in: Types.ObjectId[] } } =>
  some.length === all.length ? {} : { _id: { $in: some.map(({ _id }) => _id) } };
