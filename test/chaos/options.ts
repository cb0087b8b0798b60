import { parseArgs } from 'node:util';

/** How large a run is. Whatever is random in it follows from the seed. */
export interface ChaosOptions {
  readonly seed: number;
  readonly rounds: number;
  readonly secondsPerRound: number;
  /** Messages sent in all, over all rounds. */
  readonly messages: number;
  /** Whether counters that differ from what they count fail the run. */
  readonly strictCounters: boolean;
}

/** Counters may drift at a kill until they are recounted after an unclean stop. */
const COUNTERS_ARE_RECOUNTED = false;

const DEFAULTS = { rounds: 5, secondsPerRound: 24, messagesPerRound: 240 } as const;
const LARGEST_SEED = 1_000_000;

function wholeNumber(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`--${name} must be a whole number from 1, not ${text}`);
  return Number(text);
}

/** Reads the command line. @throws Error that names the option at fault. */
export function readOptions(args: readonly string[]): ChaosOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string' },
      rounds: { type: 'string' },
      'seconds-per-round': { type: 'string' },
      messages: { type: 'string' },
      'strict-counters': { type: 'boolean', default: COUNTERS_ARE_RECOUNTED },
    },
  });
  const rounds = wholeNumber('rounds', values.rounds, DEFAULTS.rounds);
  return {
    seed: wholeNumber('seed', values.seed, 1 + Math.floor(Math.random() * LARGEST_SEED)),
    rounds,
    secondsPerRound: wholeNumber('seconds-per-round', values['seconds-per-round'], DEFAULTS.secondsPerRound),
    messages: wholeNumber('messages', values.messages, rounds * DEFAULTS.messagesPerRound),
    strictCounters: values['strict-counters'],
  };
}

/** The command that makes the same run again. */
export function commandOf(options: ChaosOptions): string {
  const { seed, rounds, secondsPerRound, messages, strictCounters } = options;
  return (
    `npm run test:chaos -- --seed ${seed} --rounds ${rounds} --seconds-per-round ${secondsPerRound} ` +
    `--messages ${messages}${strictCounters ? ' --strict-counters' : ''}`
  );
}
