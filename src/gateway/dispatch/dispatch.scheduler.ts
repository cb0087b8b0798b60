import { Injectable, OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Sweep } from '../../infrastructure/sweeps/sweep.decorator';
import type { WaveKey } from '../waves/wave-key';
import { WavesRepository } from '../waves/waves.repository';
import { DueWaves } from './due-waves.service';

const SWEEP_INTERVAL_MS = 5_000;

/** Waves are overdue if messages are still pending, or wait to move to another SIM, this long after their due time. */
const OVERDUE_MS = 5_000;
const MAX_OVERDUE_MESSAGES = 5_000;

/** Finds overdue waves. Safe to run in several processes. */
@Injectable()
export class DispatchScheduler implements OnModuleDestroy {
  private isStopping = false;
  /** The waves that the last run found. */
  private foundBefore: ReadonlySet<string> = new Set();

  constructor(
    private readonly waves: WavesRepository,
    private readonly dueWaves: DueWaves,
    private readonly clock: Clock,
  ) {}

  @Sweep<DispatchScheduler>(SWEEP_INTERVAL_MS, (scheduler, time) => scheduler.isDueBefore(time))
  async sweep(): Promise<void> {
    if (!this.isStopping) await this.dispatchOverdue();
  }

  onModuleDestroy(): void {
    this.isStopping = true;
  }

  /**
   * Enqueues overdue waves. Those that the last run found too are dispatched here: their job does not run, and Bull may ignore
   * another one of the same id. Safe while a worker dispatches the same wave: each message is claimed once.
   */
  async dispatchOverdue(): Promise<void> {
    const since = overdueAt(this.clock.now());
    const waves = [
      ...(await this.waves.listOverdueWaves(since, MAX_OVERDUE_MESSAGES)),
      ...(await this.waves.listOverdueMoves(since, MAX_OVERDUE_MESSAGES)),
    ];
    const isStuck = (wave: WaveKey) => this.foundBefore.has(idOf(wave));
    const stuck = waves.filter(isStuck);
    const fresh = waves.filter((wave) => !isStuck(wave));
    this.foundBefore = new Set(waves.map(idOf));
    await this.dueWaves.enqueueOrDispatch(fresh);
    await this.dueWaves.dispatch(stuck);
  }

  private async isDueBefore(time: Date): Promise<boolean> {
    const since = overdueAt(time);
    const overdue = await Promise.all([
      this.waves.listOverdueWaves(since, 1),
      this.waves.listOverdueMoves(since, 1),
    ]);
    return overdue.flat().length > 0;
  }
}

const overdueAt = (now: Date): Date => new Date(now.getTime() - OVERDUE_MS);

const idOf = ({ batch, wave }: WaveKey): string => `${batch.toHexString()}-${wave}`;
