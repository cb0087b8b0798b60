import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { Drift, Recount } from './recount';
import { Rounds } from './rounds.service';
import { formatError } from '../format-error';

const EVERY_MS = 24 * 3_600_000;
const PAGE_SIZE = 100;

/** Longer than a counter is behind what it counts: it is moved right after. */
const SETTLE_MS = 2_000;
const MAX_ATTEMPTS = 5;

/**
 * Mends counters that have drifted: daily, and after a process has died. A counter moves in a write after the one it
 * counts, so that a single look can find the two apart although nothing is wrong. Hence a drift counts only if two
 * looks find the same one, and it is mended only if the counter did not move since it was read. Safe to run in any
 * number of processes at once.
 */
@Injectable()
export class Recounts {
  private readonly logger = new Logger(Recounts.name);

  constructor(private readonly rounds: Rounds) {}

  /** Looks at all counters of a kind, if it is time to. */
  async run(recount: Recount): Promise<void> {
    await this.rounds.run({
      name: `recount:${recount.name}`,
      everyMs: EVERY_MS,
      step: async (after) => {
        const ids = await recount.listAfter(after, PAGE_SIZE);
        await this.mend(recount, ids);
        return ids.length === PAGE_SIZE ? ids.at(-1) : undefined;
      },
    });
  }

  /** Looks at the counters of these. What keeps moving is left to the next time. */
  async mend(recount: Recount, ids: readonly Types.ObjectId[]): Promise<void> {
    let open = await this.lookAll(recount, ids, new Map());
    for (let look = 2; open.size > 0 && look <= MAX_ATTEMPTS; look++) {
      await this.settle();
      open = await this.lookAll(recount, [...open.keys()], open);
    }
  }

  /** Waits until what was under way at a look has ended. */
  async settle(): Promise<void> {
    await sleep(SETTLE_MS);
  }

  /** @returns those that another look must decide on, each with the drift this one found. */
  private async lookAll(
    recount: Recount,
    ids: readonly Types.ObjectId[],
    before: ReadonlyMap<Types.ObjectId, Drift | undefined>,
  ): Promise<Map<Types.ObjectId, Drift | undefined>> {
    const open = new Map<Types.ObjectId, Drift | undefined>();
    for (const id of ids) {
      try {
        const found = await recount.look(id);
        if (found === 'right') continue;
        if (found === 'unclear') open.set(id, undefined);
        else if (!isSame(found, before.get(id)) || !(await found.mend())) open.set(id, found);
        else this.logger.warn(`${recount.name} of ${id.toHexString()} had drifted: ${differences(found)}`);
      } catch (failure) {
        this.logger.error(
          `${recount.name} of ${id.toHexString()} could not be counted: ${formatError(failure)}`,
        );
      }
    }
    return open;
  }
}

function isSame({ by }: Drift, earlier: Drift | undefined): boolean {
  return earlier !== undefined && Object.entries(by).every(([counter, each]) => earlier.by[counter] === each);
}

function differences({ by }: Drift): string {
  return Object.entries(by)
    .map(([counter, each]) => `${counter} ${each > 0 ? '+' : ''}${each}`)
    .join(', ');
}
