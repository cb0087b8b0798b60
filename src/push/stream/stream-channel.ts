import type { Types } from 'mongoose';
import type { RedisConfig } from '../../config/sections/redis.config';

/** The Redis channel that carries a device's commands to the process that holds its stream. */
export function streamChannel(config: RedisConfig, deviceId: Types.ObjectId): string {
  return `${config.prefix}:stream:${deviceId.toHexString()}`;
}
