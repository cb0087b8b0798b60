import { createHash } from 'node:crypto';

const RECIPIENT_HASH_LENGTH = 12;

/**
 * The key of a recipient in the usage of a SIM.
 * @param recipient in comparable form, see `contactNumber` in `src/common`. Earlier processes hashed the number as given: whom
 * they counted may count twice until the month ends.
 */
export const hashRecipient = (recipient: string): string =>
  createHash('sha256').update(recipient).digest('base64url').slice(0, RECIPIENT_HASH_LENGTH);
