import type { Types } from 'mongoose';

/** Names a wave: a part of a group of messages, which is dispatched together. A group has the same due time and lane. */
export interface WaveKey {
  /** The account of the batch. */
  readonly user: Types.ObjectId;
  readonly batch: Types.ObjectId;
  readonly wave: number;
}

/** A wave, and when its job is to run. */
export interface WaveToEnqueue extends WaveKey {
  /** Absent: due immediately. */
  readonly dueAt?: Date;
}
