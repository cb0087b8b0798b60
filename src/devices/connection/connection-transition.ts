import { Types } from 'mongoose';
import { SECOND_MS } from '../../common/durations';
import type { DeviceEvent, OperationalEntry } from '../events/operational-event';
import type { Device } from '../store/device.schema';
import type { Connection } from './connection';
import type { ConnectionState } from '../states/connection-state';

/**
 * A shorter absence raises no event: while Redis is down, phones on streams get their messages, and answer, up to a
 * minute late.
 */
const MIN_OFFLINE_MS = 90 * SECOND_MS;

export interface ConnectionTransition {
  /** The state to announce. */
  readonly state: ConnectionState;
  readonly event?: DeviceEvent;
  /** When the current state is announced if it lasts. */
  readonly dueAt?: Date;
}

/** The state and event that the scheduler announces. */
export function transitionOf(
  announced: ConnectionState | undefined,
  { state, since }: Connection,
  now: Date,
): ConnectionTransition {
  const wasOnline = announced === undefined || announced === 'online';
  if (state === 'online') return { state, ...(!wasOnline && { event: 'DEVICE_ONLINE' }) };
  if (!wasOnline) return { state };
  const dueAt = new Date(since.getTime() + MIN_OFFLINE_MS);
  return dueAt > now ? { state: 'online', dueAt } : { state, event: 'DEVICE_OFFLINE' };
}

/** The entry for the outbox of a device. */
export function connectionEvent(
  event: DeviceEvent,
  device: Pick<Device, '_id' | 'name' | 'brand' | 'model' | 'lastContactAt'>,
  { state, since }: Connection,
  pendingCount: number,
  now: Date,
): OperationalEntry {
  const { _id, name, brand, model, lastContactAt } = device;
  const details = {
    ...(name !== undefined && { name }),
    brand,
    model,
    state,
    since: since.toISOString(),
    ...(lastContactAt && { lastContactAt: lastContactAt.toISOString() }),
    pendingCount,
  };
  return { id: new Types.ObjectId(), event, at: now, device: _id, details };
}
