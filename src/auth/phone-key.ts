import type { Types } from 'mongoose';
import { AppError } from '../common/errors';

/** What a phone key opens: the calls of one phone, for its own device. */
export interface PhoneKey {
  readonly id: Types.ObjectId;
  /** The device it is bound to or was made for; absent before the first phone binds it. */
  readonly device?: Types.ObjectId;
  readonly isBound: boolean;
}

/** A phone key was used for another device than its own, or for a device that is paired with another key. */
export class KeyBound extends AppError {
  readonly kind = 'invalid';
  readonly code = 'KEY_BOUND';

  constructor() {
    super(
      'This phone key is not for this phone. Each phone needs a key of its own; to pair a phone again, revoke the key ' +
        'it had or make one for its device',
    );
  }
}
