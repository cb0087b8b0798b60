import { checkEvidence } from '../chaos/checker';
import type { Verdict } from '../chaos/verdict';
import type { Evidence } from '../chaos/evidence';
import { sliceBetween, median } from './statistics';
import type { LoadFigures } from './load-figures';
import type { LoadOptions } from './options';

/**
 * Shorter runs are mostly warm-up, and many of their sends are still open at the end.
 */
const MIN_CHECKED_SECONDS = 120;
const TOO_SHORT = `not checked in runs below ${MIN_CHECKED_SECONDS} s`;
const MAX_GROWTH = 0.15;
const MAX_GROWTH_MB = 20;

/** The share of sends that must have a response during the load. */
const MIN_ANSWERED_SHARE = 0.98;

/** Permanent keys of the queues. */
const MAX_OTHER_KEYS = 20;

/** One check of a run. `isGood` is undefined if the run is too short for it. */
export interface Check {
  readonly name: string;
  readonly isGood: boolean | undefined;
  readonly detail: string;
}

/** Memory of one process, in MB. */
export interface MemoryGrowth {
  readonly process: string;
  readonly secondQuarter: number;
  readonly lastQuarter: number;
  readonly max: number;
}

/**
 * Compares the medians of the second and the last quarter. Medians, because garbage collection changes single samples by
 * tens of MB. The first quarter is the warm-up, and the third has the outage of the receiver.
 */
export function measureMemoryGrowth({ seconds }: Pick<LoadFigures, 'seconds'>): MemoryGrowth[] {
  return Object.keys(seconds[0]?.resident ?? {}).map((process) => {
    const samples = seconds.flatMap(({ resident }) => resident[process] ?? []);
    return {
      process,
      secondQuarter: median(sliceBetween(samples, 0.25, 0.5)),
      lastQuarter: median(sliceBetween(samples, 0.75, 1)),
      max: Math.max(...samples),
    };
  });
}

/** Checks a settled run. */
export function runChecks(
  options: LoadOptions,
  evidence: Evidence,
  figures: LoadFigures,
): { checks: Check[]; verdict: Verdict } {
  const verdict = checkEvidence(evidence);
  const { redis } = figures;
  const isShort = options.seconds < MIN_CHECKED_SECONDS;
  const answered = figures.seconds.reduce((sum, second) => sum + second.answered, 0);
  const undelivered = evidence.messages.filter(({ status }) => status !== 'delivered').length;
  const grownProcesses = measureMemoryGrowth(figures).filter(
    ({ secondQuarter, lastQuarter }) => lastQuarter > secondQuarter * (1 + MAX_GROWTH) + MAX_GROWTH_MB,
  );
  const expectEmpty = (list: readonly string[]) => ({
    isGood: list.length === 0,
    detail: String(list.length),
  });
  return {
    verdict,
    checks: [
      { name: 'No error answers or failures', ...expectEmpty(evidence.errors) },
      {
        name: 'Rate sustained',
        isGood: isShort ? undefined : answered >= figures.dueSends * MIN_ANSWERED_SHARE,
        detail: `${answered} of ${figures.dueSends} answered within ${options.seconds} s${isShort ? `; ${TOO_SHORT}` : ''}`,
      },
      { name: 'No losses', ...expectEmpty(verdict.losses) },
      { name: 'No duplicates', ...expectEmpty(verdict.duplicates) },
      {
        name: 'Every message delivered',
        isGood: undelivered === 0 && evidence.messages.length === figures.dueSends,
        detail: `${evidence.messages.length - undelivered} of ${figures.dueSends}`,
      },
      {
        name: 'No other errors',
        ...expectEmpty(verdict.otherErrors.filter((line) => !evidence.errors.includes(line))),
      },
      { name: 'Every counter exact', ...expectEmpty(verdict.drift) },
      {
        name: 'Memory stable',
        isGood: isShort ? undefined : grownProcesses.length === 0,
        detail: isShort
          ? TOO_SHORT
          : `processes that grew: ${grownProcesses.map(({ process }) => process).join(', ') || 'none'}`,
      },
      {
        name: 'No job left in Redis',
        isGood: redis.leftoverJobs.length === 0 && redis.otherKeys.length <= MAX_OTHER_KEYS,
        detail: `${redis.leftoverJobs.length} jobs, ${redis.otherKeys.length} other keys; ${redis.scheduledJobs} scheduled jobs`,
      },
    ],
  };
}
