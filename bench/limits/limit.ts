import type { Types } from 'mongoose';
import type { Records } from '../records';

/** What a limit works with: a database of its own with the service's indexes, and where the row's own data is. */
export interface LimitRoom {
  readonly own: Records;
  /** The service's database: what is only read is read there. */
  readonly service: Records;
  readonly user: Types.ObjectId;
  readonly devices: readonly Types.ObjectId[];
  readonly receiverUrl: string;
}

/** The writes or reads that an operation cannot do without, made by the bare driver. */
export interface Limit {
  /** Makes what so many units need. */
  prepare?(units: number): Promise<void>;
  /** Does one operation. @returns its units, 0 when what was prepared is used up. */
  operation(): Promise<number>;
}
