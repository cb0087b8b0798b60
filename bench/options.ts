import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { wholeNumber as requiredNumber } from './whole-number';

export const ROW_NAMES = [
  'send_one',
  'send_consent',
  'send_thousand',
  'status_report',
  'app_report',
  'incoming_message',
  'webhook_delivery',
  'list_page',
  'list_cursor',
  'stats',
  'contacts_page',
  'dispatch',
  'send_pool',
  'dispatch_pool',
] as const;
export type RowName = (typeof ROW_NAMES)[number];

/** Measured only by name: they take minutes. */
const LIFECYCLE = 'lifecycle';
const IDLE = 'idle';

export interface LifecycleOptions {
  /** For each rate of each turn. */
  readonly seconds: number;
  /** Messages a second. */
  readonly rates: readonly number[];
  readonly turns: number;
}

export interface IdleOptions {
  /** Of each turn. */
  readonly seconds: number;
  readonly turns: number;
}

export interface BenchOptions {
  /** Seconds for each side of a row. */
  readonly seconds: number;
  readonly rows: readonly RowName[];
  /** Whether standard output is the figures as JSON. */
  readonly isJson: boolean;
  readonly isProfiled: boolean;
  readonly countsCommands: boolean;
  /** Whether all processes run all the time, not only those of the row. */
  readonly runsAllProcesses: boolean;
  /** Another checkout with its packages and its build, measured in turns with this one. */
  readonly against?: string;
  /** Undefined unless it is asked for; then it is measured instead of the rows. */
  readonly lifecycle?: LifecycleOptions;
  /** The same. */
  readonly idle?: IdleOptions;
}

const DEFAULT_SECONDS = 6;
const MAX_SECONDS = 600;
const DEFAULT_LIFECYCLE_SECONDS = 20;
const DEFAULT_RATES = '60,100';
const MAX_RATE = 1_000;
const DEFAULT_TURNS = 3;
const DEFAULT_IDLE = { seconds: 60, turns: 1 };
const MAX_TURNS = 20;

function isRowName(text: string): text is RowName {
  return (ROW_NAMES as readonly string[]).includes(text);
}

function readRows(text: string | undefined): readonly RowName[] {
  if (text === undefined) return ROW_NAMES;
  return text.split(',').map((name) => {
    if (!isRowName(name))
      throw new Error(
        `--rows must be among ${ROW_NAMES.join(', ')}, or ${LIFECYCLE} or ${IDLE} alone, not ${name}`,
      );
    return name;
  });
}

const wholeNumber = (name: string, text: string | undefined, max: number, defaultValue: number): number =>
  text === undefined ? defaultValue : requiredNumber(name, text, max);

/** Parses the command line. @throws Error that names the invalid option. */
export function readOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: 'string' },
      rows: { type: 'string' },
      together: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      commands: { type: 'boolean', default: false },
      rates: { type: 'string' },
      against: { type: 'string' },
      turns: { type: 'string' },
    },
  });
  const isLifecycle = values.rows === LIFECYCLE;
  const isIdle = values.rows === IDLE;
  return {
    seconds: wholeNumber('seconds', values.seconds, MAX_SECONDS, DEFAULT_SECONDS),
    rows: isLifecycle || isIdle ? [] : readRows(values.rows),
    runsAllProcesses: values.together,
    isJson: values.json,
    isProfiled: values.profile,
    countsCommands: values.commands,
    ...(values.against !== undefined && { against: resolve(values.against) }),
    ...(isLifecycle && { lifecycle: readLifecycle(values) }),
    ...(isIdle && {
      idle: {
        seconds: wholeNumber('seconds', values.seconds, MAX_SECONDS, DEFAULT_IDLE.seconds),
        turns: wholeNumber('turns', values.turns, MAX_TURNS, DEFAULT_IDLE.turns),
      },
    }),
  };
}

function readLifecycle(values: { seconds?: string; rates?: string; turns?: string }): LifecycleOptions {
  const { seconds, rates = DEFAULT_RATES, turns } = values;
  return {
    seconds: wholeNumber('seconds', seconds, MAX_SECONDS, DEFAULT_LIFECYCLE_SECONDS),
    rates: rates.split(',').map((rate) => wholeNumber('rates', rate, MAX_RATE, 0)),
    turns: wholeNumber('turns', turns, MAX_TURNS, DEFAULT_TURNS),
  };
}
