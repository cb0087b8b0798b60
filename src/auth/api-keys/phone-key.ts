import type { Types } from 'mongoose';
import { AppError } from '../../common/errors';

/** The phone key of a request, which gives access to the routes of one phone, for its own device. */
export interface PhoneKey {
  readonly id: Types.ObjectId;
  /** The device it is bound to or was created for; absent before the first phone binds it. */
  readonly device?: Types.ObjectId;
  readonly isBound: boolean;
}

/** A phone key was used for another device, or for a device that is paired with another key. */
export class KeyBound extends AppError {
  readonly kind = 'invalid';
  readonly code = 'KEY_BOUND';

  constructor() {
    super(
      'This phone key belongs to another phone. Each phone needs its own key; to pair a phone again, revoke its old key ' +
        'or create a key for its device',
    );
  }
}
