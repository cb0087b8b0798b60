import { check, type Verdict } from '../chaos/checker';
import type { Evidence } from '../chaos/evidence';
import { between, median } from './figures';
import type { LoadFigures } from './load-figures';
import type { LoadOptions } from './options';

/**
 * Below this a process still warms up for most of the run, and grows without a leak; and what is under way at the end is
 * no small part of all.
 */
const MIN_JUDGED_S = 120;
const TOO_SHORT = `not judged in a run below ${MIN_JUDGED_S} s`;
const MAX_GROWTH = 0.15;
const MAX_GROWTH_MB = 20;

/** The part of the sends due that must be answered while the load lasts. */
const MIN_HELD_SHARE = 0.98;

/** Keys that stay in Redis however much went through: per queue a counter, a marker, and the like. */
const MAX_OTHER_KEYS = 20;

/** One thing that a run must show. Without a judgement it could not be looked at. */
export interface Check {
  readonly what: string;
  readonly isGood: boolean | undefined;
  readonly detail: string;
}

/** The memory of one process, in MB. */
export interface Growth {
  readonly process: string;
  readonly second: number;
  readonly last: number;
  readonly most: number;
}

/**
 * The median of the second quarter's samples against that of the last quarter: a collection of garbage swings a single
 * sample by tens of MB, the first quarter is the warm-up, and the outage of the receiver lies in the third.
 */
export function growths({ seconds }: Pick<LoadFigures, 'seconds'>): Growth[] {
  return Object.keys(seconds[0]?.resident ?? {}).map((process) => {
    const samples = seconds.flatMap(({ resident }) => resident[process] ?? []);
    return {
      process,
      second: median(between(samples, 0.25, 0.5)),
      last: median(between(samples, 0.75, 1)),
      most: Math.max(...samples),
    };
  });
}

/** Judges a run that has settled. */
export function judge(
  options: LoadOptions,
  evidence: Evidence,
  figures: LoadFigures,
): { checks: Check[]; verdict: Verdict } {
  const verdict = check(evidence);
  const { redis } = figures;
  const isShort = options.seconds < MIN_JUDGED_S;
  const answered = figures.seconds.reduce((sum, second) => sum + second.answered, 0);
  const undelivered = evidence.messages.filter(({ status }) => status !== 'delivered').length;
  const grown = growths(figures).filter(
    ({ second, last }) => last > second * (1 + MAX_GROWTH) + MAX_GROWTH_MB,
  );
  const none = (list: readonly string[]) => ({ isGood: list.length === 0, detail: String(list.length) });
  return {
    verdict,
    checks: [
      { what: 'No error answer, no fault', ...none(evidence.faults) },
      {
        what: 'The rate was held',
        isGood: isShort ? undefined : answered >= figures.due * MIN_HELD_SHARE,
        detail: `${answered} of ${figures.due} answered within ${options.seconds} s${isShort ? `; ${TOO_SHORT}` : ''}`,
      },
      { what: 'Nothing was lost', ...none(verdict.losses) },
      { what: 'Nothing came twice', ...none(verdict.duplicates) },
      {
        what: 'Every message is delivered',
        isGood: undelivered === 0 && evidence.messages.length === figures.due,
        detail: `${evidence.messages.length - undelivered} of ${figures.due}`,
      },
      {
        what: 'Nothing else is wrong',
        ...none(verdict.wrong.filter((line) => !evidence.faults.includes(line))),
      },
      { what: 'Every counter is right', ...none(verdict.drift) },
      {
        what: 'Memory is flat',
        isGood: isShort ? undefined : grown.length === 0,
        detail: isShort ? TOO_SHORT : `grown: ${grown.map(({ process }) => process).join(', ') || 'none'}`,
      },
      {
        what: 'No job is left in Redis',
        isGood: redis.jobsLeft.length === 0 && redis.others.length <= MAX_OTHER_KEYS,
        detail: `${redis.jobsLeft.length} jobs, ${redis.others.length} other keys; ${redis.jobsToCome} wake-ups to come`,
      },
    ],
  };
}
