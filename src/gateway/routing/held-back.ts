import { groupBy } from '../../common/group-by';
import { sum } from '../../common/sum';
import type { WaitReason } from '../../devices/states/wait-reasons';

/** Messages that wait for the same reason. */
export interface HeldBack {
  readonly reason: WaitReason;
  readonly count: number;
  /** When the last of them can leave; absent if that is not known. */
  readonly until?: Date;
}

export interface Hold {
  readonly reason: WaitReason;
  /** Milliseconds since 1970; Infinity if not known. */
  readonly until: number;
  /** Messages; absent: 1. */
  readonly count?: number;
}

/** Adds up messages by the reason for which they wait. A reason has no time if that of one message is not known. */
export function heldBackOf(holds: readonly Hold[]): HeldBack[] {
  return [...groupBy(holds, ({ reason }) => reason)].map(([reason, ofReason]) => {
    const until = ofReason.reduce((last, each) => Math.max(last, each.until), 0);
    const count = sum(ofReason, (each) => each.count ?? 1);
    return { reason, count, ...(Number.isFinite(until) && { until: new Date(until) }) };
  });
}
