import { createHash } from 'node:crypto';

/**
 * The key of a recipient in the usage of a SIM, and with 11 characters in its health.
 * @param recipient in comparable form, see `contactNumber` in `src/common`. Earlier processes hashed the number as given: whom
 * they counted may count twice until the month ends.
 * @param length in characters of six bits.
 */
export const hashRecipient = (recipient: string, length = 12): string =>
  createHash('sha256').update(recipient).digest('base64url').slice(0, length);
