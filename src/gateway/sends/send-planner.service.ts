import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { DispatchConfig } from '../../config/sections/dispatch.config';
import type { Assignment, Sender } from '../senders/assignment';
import { laneKey, laneOf } from '../senders/lane';
import { LaneTimelines } from '../senders/lane-timelines.service';
import { planSend, type SendPlan, slotsOf, splitSend } from './send-plan';
import type { ValidatedSend } from './send-validation';

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
    const starts = slotsOf(split).map(async ({ lane, durationMs }) => {
      const startAt = await this.timelines.reserve(account, lane, durationMs, this.clock.now());
      return [laneKey(lane), startAt] as const;
    });
    return planSend(split, new Map(await Promise.all(starts)));
  }

  /** Plans a send without reserving its time, which another send may take. */
  estimate(request: ValidatedSend, assignment: Assignment): SendPlan {
    const now = this.clock.now();
    const starts = assignment.senders.map((sender) => {
      const freeAt = freeAtOf(sender);
      return [laneKey(laneOf(sender)), freeAt && freeAt > now ? freeAt : now] as const;
    });
    return planSend(splitSend(request, assignment, this.config), new Map(starts));
  }
}

const freeAtOf = (sender: Sender): Date | undefined =>
  (laneOf(sender).sim ? sender.sim : sender.device)?.dispatchFreeAt;
