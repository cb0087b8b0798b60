import { createHash } from 'node:crypto';
import { Types } from 'mongoose';

const ID_BYTES = 12;

/**
 * The id of a received message. A repeated upload gets the same one, so that it is the same insert on a sharded cluster too
 * (docs/build/adr/0028). It says nothing about the time.
 * @param fingerprint see `IncomingSms`.
 */
export function receivedMessageId(
  user: Types.ObjectId,
  device: Types.ObjectId,
  fingerprint: string,
): Types.ObjectId {
  // The ids have a fixed length, so no other three texts are the same input.
  const hash = createHash('sha256').update(`${user.toHexString()}${device.toHexString()}${fingerprint}`);
  return new Types.ObjectId(hash.digest().subarray(0, ID_BYTES));
}
