import { parseArgs } from 'node:util';
import { type Kill, KILLS } from './kill-plan';

/** How large a run is. Whatever is random in it follows from the seed. */
export interface ChaosOptions {
  readonly seed: number;
  readonly rounds: number;
  readonly secondsPerRound: number;
  /** Messages sent in all, over all rounds. */
  readonly messages: number;
  /** What happens; without it, all that can. */
  readonly kills?: readonly Kill[];
}

const DEFAULTS = { rounds: 5, secondsPerRound: 24, messagesPerRound: 240 } as const;
const MAX_SEED = 1_000_000;

/** A run of few minutes that is the same each time, in which each process that holds a part of the service dies. */
const CI = {
  seed: '1',
  rounds: '2',
  'seconds-per-round': '20',
  messages: '400',
  kill: ['api', 'worker', 'scheduler', 'Redis with its data', 'database'],
};

function wholeNumber(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`--${name} must be a whole number from 1, not ${text}`);
  return Number(text);
}

function seedIn(text: string | undefined): number {
  if (text === undefined || text === 'random') return 1 + Math.floor(Math.random() * MAX_SEED);
  return wholeNumber('seed', text, 1);
}

function killNamed(name: string): Kill {
  const found = KILLS.find((kill) => kill === name);
  if (found === undefined) throw new Error(`--kill must be one of: ${KILLS.join('; ')}. Not ${name}`);
  return found;
}

/** Reads the command line. @throws Error that names the option at fault. */
export function readOptions(args: readonly string[]): ChaosOptions {
  const { values: given } = parseArgs({
    args: [...args],
    options: {
      ci: { type: 'boolean', default: false },
      seed: { type: 'string' },
      rounds: { type: 'string' },
      'seconds-per-round': { type: 'string' },
      messages: { type: 'string' },
      kill: { type: 'string', multiple: true },
    },
  });
  const values = { ...(given.ci && CI), ...given };
  const rounds = wholeNumber('rounds', values.rounds, DEFAULTS.rounds);
  return {
    seed: seedIn(values.seed),
    rounds,
    secondsPerRound: wholeNumber('seconds-per-round', values['seconds-per-round'], DEFAULTS.secondsPerRound),
    messages: wholeNumber('messages', values.messages, rounds * DEFAULTS.messagesPerRound),
    kills: values.kill?.map(killNamed),
  };
}

/** The command that makes the same run again. */
export function commandOf({ seed, rounds, secondsPerRound, messages, kills = [] }: ChaosOptions): string {
  return [
    `npm run test:chaos -- --seed ${seed} --rounds ${rounds} --seconds-per-round ${secondsPerRound}`,
    `--messages ${messages}`,
    ...kills.map((kill) => `--kill '${kill}'`),
  ].join(' ');
}
