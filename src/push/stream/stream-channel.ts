import type { Types } from 'mongoose';
import type { RedisConfig } from '../../config/redis.config';

/** The Redis channel on which commands for a device reach the process that holds its stream. */
export function streamChannel(config: RedisConfig, deviceId: Types.ObjectId): string {
  return `${config.prefix}:stream:${deviceId.toHexString()}`;
}
