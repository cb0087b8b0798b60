import type { Model, Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import type { Device } from './device.schema';

/** A phone or a SIM, with the end of the last slot reserved on its timeline of large sends. */
type Timeline = Pick<Device, '_id' | 'user' | 'dispatchFreeAt'>;

/**
 * Reserves the next free slot on a timeline in one write, so that large sends never overlap.
 * @returns the start of the slot, or null if there is no such phone or SIM.
 */
export async function reserveSlot<Stored extends Timeline>(
  timelines: Model<Stored>,
  { user }: AccountScope,
  id: Types.ObjectId,
  durationMs: number,
  now: Date,
): Promise<Date | null> {
  const nextSlot = { dispatchFreeAt: { $add: [{ $max: ['$dispatchFreeAt', now] }, durationMs] } };
  const reserved = await timelines
    .findOneAndUpdate({ _id: id, user }, [{ $set: nextSlot }], {
      updatePipeline: true,
      returnDocument: 'after',
      projection: { dispatchFreeAt: 1 },
    })
    .lean<Timeline>();
  return reserved?.dispatchFreeAt ? new Date(reserved.dispatchFreeAt.getTime() - durationMs) : null;
}

/** Releases a slot if it is the last one reserved. */
export async function releaseSlot<Stored extends Timeline>(
  timelines: Model<Stored>,
  { user }: AccountScope,
  id: Types.ObjectId,
  startAt: Date,
  durationMs: number,
): Promise<void> {
  const dispatchFreeAt = new Date(startAt.getTime() + durationMs);
  await timelines.updateOne({ _id: id, user, dispatchFreeAt }, { $set: { dispatchFreeAt: startAt } });
}
