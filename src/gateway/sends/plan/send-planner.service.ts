import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../../../auth/account-scope';
import { Clock } from '../../../common/clock';
import { DispatchConfig } from '../../../config/sections/dispatch.config';
import type { Assignment } from '../../senders/assignment';
import { laneKey, laneOf } from '../../senders/lane';
import { LaneTimelines } from '../../senders/lane-timelines.service';
import { laneEnds, planSend, type SendPlan, slotsOf, splitSend } from './send-plan';
import type { ValidatedSend } from '../../send-input/send-validation';

export interface EstimatedPlan {
  readonly plan: SendPlan;
  /** When each lane is done, by its key. */
  readonly laneEnds: ReadonlyMap<string, Date>;
}

/** Plans the waves of a send, and reserves time on the timelines of its lanes for those that are due immediately. */
@Injectable()
export class SendPlanner {
  constructor(
    private readonly config: DispatchConfig,
    private readonly timelines: LaneTimelines,
    private readonly clock: Clock,
  ) {}

  async plan(account: AccountScope, request: ValidatedSend, assignment: Assignment): Promise<SendPlan> {
    const split = splitSend(request, assignment, this.config);
    const reserved = slotsOf(split).map(async ({ lane, durationMs }) => {
      const now = this.clock.now();
      // An urgent send does not wait for the campaigns before it, which then wait for the pace of the phone.
      const startAt = split.isUrgent ? now : await this.timelines.reserve(account, lane, durationMs, now);
      return [laneKey(lane), startAt] as const;
    });
    const starts = freeTimes(request, assignment, this.clock.now());
    for (const [key, startAt] of await Promise.all(reserved)) starts.set(key, startAt);
    return planSend(split, starts);
  }

  /** Plans a send without reserving its time, which another send may take. */
  estimate(request: ValidatedSend, assignment: Assignment): EstimatedPlan {
    const now = this.clock.now();
    const starts = freeTimes(request, assignment, now);
    const split = splitSend(request, assignment, this.config);
    return { plan: planSend(split, starts), laneEnds: laneEnds(split, starts, now) };
  }
}

/** From when each lane is free of the large sends accepted before, by its key; urgent sends do not wait for them. */
function freeTimes({ priority }: ValidatedSend, { senders }: Assignment, now: Date): Map<string, Date> {
  return new Map(
    senders.map((sender) => {
      const lane = laneOf(sender);
      const freeAt = (lane.sim ? sender.sim : sender.device)?.dispatchFreeAt;
      const isQueued = priority !== 'urgent' && freeAt !== undefined && freeAt > now;
      return [laneKey(lane), isQueued ? freeAt : now] as const;
    }),
  );
}
