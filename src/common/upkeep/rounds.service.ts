import { Injectable, OnModuleDestroy } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../clock';
import { RoundsRepository } from './rounds.repository';

/** Longer than any step takes. A turn that is lost too early does no harm: steps can run twice at once. */
const TURN_MS = 10 * 60_000;

/** Work in steps, over all of something that has ids. */
export interface RoundWork {
  readonly name: string;
  readonly everyMs: number;
  /**
   * Does a bounded piece: what comes after this id, or the first.
   * @returns the last id it did; undefined when nothing is left.
   */
  readonly step: (after: Types.ObjectId | undefined) => Promise<Types.ObjectId | undefined>;
}

/**
 * Does work that comes round. Every process with a timer may ask as often as it likes: one at a time does it, when it
 * is due, and where a process died the next one goes on.
 */
@Injectable()
export class Rounds implements OnModuleDestroy {
  private stopping = false;

  constructor(
    private readonly rounds: RoundsRepository,
    private readonly clock: Clock,
  ) {}

  async run({ name, everyMs, step }: RoundWork): Promise<void> {
    await this.rounds.begin(name, this.clock.now());
    const turn = await this.rounds.take(name, this.inMs(TURN_MS), this.clock.now());
    if (!turn) return;
    try {
      let after = turn.after;
      do {
        after = await step(after);
        if (after && !(await this.rounds.advance(turn, after, this.inMs(TURN_MS)))) return;
      } while (after && !this.stopping);
      if (!after) await this.rounds.finish(turn, this.inMs(everyMs));
    } finally {
      await this.rounds.leave(turn);
    }
  }

  /** Makes all work due now, from its beginning. */
  hastenAll(): Promise<void> {
    return this.rounds.hastenAll(this.clock.now());
  }

  onModuleDestroy(): void {
    this.stopping = true;
  }

  private inMs(ms: number): Date {
    return new Date(this.clock.now().getTime() + ms);
  }
}
