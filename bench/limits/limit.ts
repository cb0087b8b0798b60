import type { Types } from 'mongoose';
import type { Records } from '../records';

/** The input of a limit: its own database with the indexes of the service, and the owner of the records. */
export interface LimitRoom {
  readonly own: Records;
  /** The database of the service, for reads. */
  readonly service: Records;
  readonly user: Types.ObjectId;
  readonly devices: readonly Types.ObjectId[];
  readonly receiverUrl: string;
}

/** The minimum of writes or reads of an operation, with the bare driver. */
export interface Limit {
  /** Prepares a number of units. */
  prepare?(units: number): Promise<void>;
  /** Runs one operation. @returns its units, 0 if the prepared units are used up. */
  operation(): Promise<number>;
}
