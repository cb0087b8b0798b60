import { createHash } from 'node:crypto';

/**
 * The key of a recipient in the usage of a SIM, and with 11 characters in its health.
 * @param recipient in comparable form, see `peerNumber` in `src/common`.
 * @param length in characters of six bits.
 */
export const hashRecipient = (recipient: string, length = 12): string =>
  createHash('sha256').update(recipient).digest('base64url').slice(0, length);
