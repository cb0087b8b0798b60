import { Injectable } from '@nestjs/common';
import { SECOND_MS } from '../../common/durations';
import { NonOverlappingInterval } from '../../common/non-overlapping-job';
import { ConversationProjector } from './conversation-projector.service';

/** Adds overdue messages to their conversations, and refreshes conversations after deletions. */
@Injectable()
export class ConversationsScheduler {
  constructor(private readonly projector: ConversationProjector) {}

  @NonOverlappingInterval(5 * SECOND_MS)
  sweep(): Promise<void> {
    return this.projector.sweep();
  }
}
