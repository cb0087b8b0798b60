import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { NonOverlappingJob } from '../../common/non-overlapping-job';
import { ConversationProjector } from './conversation-projector.service';

const SWEEP_INTERVAL_MS = 5_000;

/** Adds messages to their conversations after the process that stored them died. */
@Injectable()
export class ConversationsScheduler {
  private readonly sweeping = new NonOverlappingJob(ConversationsScheduler.name);

  constructor(private readonly projector: ConversationProjector) {}

  @Interval(SWEEP_INTERVAL_MS)
  sweep(): Promise<void> {
    return this.sweeping.run(() => this.projector.sweep());
  }
}
