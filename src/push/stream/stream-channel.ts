import type { Types } from 'mongoose';

/** The Redis channel on which commands for a device reach the process that holds its stream. */
export function streamChannel(deviceId: Types.ObjectId): string {
  return `stream:${deviceId.toHexString()}`;
}
