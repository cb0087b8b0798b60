import type { Types } from 'mongoose';

/** The phone key of a request, which gives access to the routes of one phone, for its own device. */
export interface PhoneKey {
  readonly id: Types.ObjectId;
  /** The device it is bound to or was created for; absent before the first phone binds it. */
  readonly device?: Types.ObjectId;
  readonly isBound: boolean;
}
