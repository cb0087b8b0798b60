import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { BatchesRepository } from '../../messages/batches.repository';
import { DispatchRepository, WaveKey } from './dispatch.repository';
import { Message } from '../../messages/message.schema';
import { MessagesRepository } from '../../messages/messages.repository';
import { isPausedOrRescheduled } from '../../messages/batch.schema';
import { GroupPlanner } from './group-planner.service';
import { WaveDispatcher } from './wave-dispatcher.service';
import { isPlanned } from './wave-plan';

/** Messages without a batch are removed after this time. */
const ORPHAN_AGE_MS = 60_000;

/**
 * Dispatches waves. The due messages are routed to phones, admitted by their SIMs, claimed, and pushed, in this order. Every step is
 * idempotent, and several workers may dispatch the same wave.
 */
@Injectable()
export class DispatchService {
  constructor(
    private readonly batches: BatchesRepository,
    private readonly dispatchRepository: DispatchRepository,
    private readonly messagesRepository: MessagesRepository,
    private readonly planner: GroupPlanner,
    private readonly dispatcher: WaveDispatcher,
    private readonly clock: Clock,
  ) {}

  /** Enqueues the next wave of the group, and dispatches the due messages of this one, if its batch is accepted. */
  async dispatchWave(key: WaveKey): Promise<void> {
    const [batch, due] = await Promise.all([
      this.batches.findForDispatch(key.batch),
      this.dispatchRepository.listDue(key, this.clock.now()),
    ]);
    if (!batch) await this.removeOrphans(key, due);
    if (batch?.acceptance !== 'accepted') return;
    if (isPausedOrRescheduled(batch)) return this.dispatcher.pause(batch, due);
    // Only with due messages: a group that was cancelled must not reserve time.
    if (due.length > 0 && !isPlanned(batch, key.wave)) return this.planner.plan(batch, key.wave);
    // First, so that the next wave is not late if this one fails or is pushed slowly.
    await this.planner.enqueueNext(batch, key);
    if (due.length > 0) await this.dispatcher.dispatch(batch, key, due);
  }

  /** A process that stalled during acceptance may have stored messages after its send was rolled back. */
  private async removeOrphans({ batch }: WaveKey, due: readonly Message[]): Promise<void> {
    const ageMs = this.clock.now().getTime() - Math.max(...due.map(({ createdAt }) => createdAt.getTime()));
    if (due.length > 0 && ageMs > ORPHAN_AGE_MS) await this.messagesRepository.removeOfBatch(batch);
  }
}
