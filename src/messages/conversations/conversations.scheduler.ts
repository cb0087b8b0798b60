import { Injectable } from '@nestjs/common';
import { SECOND_MS } from '../../common/durations';
import { Sweep } from '../../infrastructure/sweeps/sweep.decorator';
import { ConversationProjector } from './conversation-projector.service';

/** Adds overdue messages to their conversations, and refreshes conversations after deletions. */
@Injectable()
export class ConversationsScheduler {
  constructor(private readonly projector: ConversationProjector) {}

  @Sweep(5 * SECOND_MS)
  sweep(): Promise<void> {
    return this.projector.sweep();
  }
}
