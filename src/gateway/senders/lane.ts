import type { Types } from 'mongoose';
import type { Device } from '../../devices/store/device.schema';
import { DEFAULT_PARTS_PER_MINUTE } from '../../devices/pace/token-bucket';
import { hasOwnPace } from '../../devices/sims/choose-phone-sim';
import type { SimRecord } from '../../devices/sims/schemas/sim.schema';
import type { Batch, DispatchGroup } from '../../messages/batch.schema';
import { messageMs } from '../waves/wave-plan';

/** What sends one message after another: a SIM with a pace of its own, else a phone. */
export interface Lane {
  readonly device: Types.ObjectId;
  /** Absent: the phone. */
  readonly sim?: Types.ObjectId;
}

/** The phone that is to send a message, and the SIM that a pool has chosen. */
export interface LaneSender {
  readonly device: Pick<Device, '_id' | 'smsSendDelaySeconds' | 'partsPerMinute'>;
  readonly sim?: Pick<SimRecord, '_id' | 'limits'>;
}

export const laneOf = ({ device, sim }: LaneSender): Lane => ({
  device: device._id,
  ...(sim && hasOwnPace(sim) && { sim: sim._id }),
});

export const laneKey = ({ device, sim }: Lane): string => (sim ?? device).toHexString();

export const laneOfGroup = (batch: Pick<Batch, 'device'>, { device, sim }: DispatchGroup): Lane => ({
  device: device ?? batch.device,
  ...(sim && { sim }),
});

/** The SMS parts that a lane sends in a minute; null: as many as it is handed. */
export const lanePartsPerMinute = ({ device, sim }: LaneSender): number | null =>
  sim?.limits?.partsPerMinute ??
  (device.partsPerMinute === undefined ? DEFAULT_PARTS_PER_MINUTE : device.partsPerMinute);

/** The time a lane takes for a message of this many parts. A SIM with a pace of its own adds only a delay set on its phone. */
export function laneMessageMs(parts: number, { device, sim }: LaneSender): number {
  const partsPerMinute = sim?.limits?.partsPerMinute;
  if (partsPerMinute === undefined) return messageMs(parts, device);
  return messageMs(parts, { smsSendDelaySeconds: device.smsSendDelaySeconds, partsPerMinute }, 0);
}
