import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { BatchesRepository } from '../../messages/batches.repository';
import { DispatchRepository, WaveKey } from './dispatch.repository';
import { Message } from '../../messages/message.schema';
import { MessagesRepository } from '../../messages/messages.repository';
import { isPausedOrRescheduled } from '../../messages/batch.schema';
import { GroupPlanner } from './group-planner.service';
import { WavePusher } from './wave-pusher.service';

/** Messages without a batch are removed after this time. */
const ORPHAN_AGE_MS = 60_000;

/** Pushes due messages. Every step is idempotent, and several workers may dispatch the same wave. */
@Injectable()
export class DispatchService {
  constructor(
    private readonly batches: BatchesRepository,
    private readonly messages: MessagesRepository,
    private readonly waves: DispatchRepository,
    private readonly planner: GroupPlanner,
    private readonly pusher: WavePusher,
    private readonly clock: Clock,
  ) {}

  /** Dispatches the due messages of a wave, if its batch is accepted, and enqueues the next wave of its group. */
  async dispatchWave(key: WaveKey): Promise<void> {
    const [batch, due] = await Promise.all([
      this.batches.findForDispatch(key.batch),
      this.waves.listDue(key, this.clock.now()),
    ]);
    if (!batch) await this.removeOrphans(key, due);
    if (batch?.acceptance !== 'accepted') return;
    if (isPausedOrRescheduled(batch)) return this.pusher.pauseWave(batch, due);
    if (due.length > 0 && (await this.planner.planIfDue(batch, key.wave)) === 'later') return;
    await this.planner.enqueueNext(batch, key);
    if (due.length > 0) await this.pusher.pushWave(batch, key, due);
  }

  /** A process that stalled during acceptance may have stored messages after its send was rolled back. */
  private async removeOrphans({ batch }: WaveKey, due: readonly Message[]): Promise<void> {
    const ageMs = this.clock.now().getTime() - Math.max(...due.map(({ createdAt }) => createdAt.getTime()));
    if (due.length > 0 && ageMs > ORPHAN_AGE_MS) await this.messages.removeOfBatch(batch);
  }
}
