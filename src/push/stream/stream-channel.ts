import type { Types } from 'mongoose';
import type { RedisConfig } from '../../config/sections/redis.config';
import type { PushCommand, MessageOffer } from '../transport/push-transport';

/** What processes tell the one that holds the stream of a phone. An offer is only a hint: it carries ids. */
export type StreamSignal =
  | { readonly commands: readonly PushCommand[] }
  | { readonly offer: { readonly claim: string; readonly ids: readonly string[] } };

/** The Redis channel that carries a device's signals to the process that holds its stream. */
export const streamChannel = ({ prefix }: RedisConfig, deviceId: Types.ObjectId): string =>
  `${prefix}:stream:${deviceId.toHexString()}`;

export const offerSignal = ({ claim, ids }: MessageOffer): StreamSignal => ({
  offer: { claim: claim.toHexString(), ids: ids.map((id) => id.toHexString()) },
});
