import { appError } from '../common/errors';

/** Does not reveal whether the code is wrong, used or expired. */
export class PairingCodeInvalid extends appError(
  'unauthorized',
  'PAIRING_CODE_INVALID',
  'The pairing code is wrong, used or expired; make a new one on the page Phones of the dashboard',
) {}

export class PairingCodeNotFound extends appError(
  'not_found',
  'PAIRING_CODE_NOT_FOUND',
  'The account has no pairing code with this id; it may have expired',
) {}
