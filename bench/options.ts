import { parseArgs } from 'node:util';

export const ROW_NAMES = [
  'send_one',
  'send_thousand',
  'status_report',
  'webhook_delivery',
  'list_page',
  'list_cursor',
  'stats',
  'dispatch',
] as const;
export type RowName = (typeof ROW_NAMES)[number];

/** How a run is made. */
export interface BenchOptions {
  /** For each side of a row. */
  readonly seconds: number;
  readonly rows: readonly RowName[];
  /** Whether the figures are printed as JSON, and nothing else on standard output. */
  readonly isJson: boolean;
  readonly isProfiled: boolean;
  readonly countsCommands: boolean;
  /** Whether all processes run all the time, and not only those a row is about. */
  readonly isTogether: boolean;
}

const DEFAULT_SECONDS = 6;
const MAX_SECONDS = 600;

function isRowName(text: string): text is RowName {
  return (ROW_NAMES as readonly string[]).includes(text);
}

function readRows(text: string | undefined): readonly RowName[] {
  if (text === undefined) return ROW_NAMES;
  return text.split(',').map((name) => {
    if (!isRowName(name)) throw new Error(`--rows must be among ${ROW_NAMES.join(', ')}, not ${name}`);
    return name;
  });
}

function wholeNumber(name: string, text: string | undefined, most: number, otherwise: number): number {
  if (text === undefined) return otherwise;
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > most) {
    throw new Error(`--${name} must be a whole number from 1 to ${most}, not ${text}`);
  }
  return number;
}

/** Reads the command line. @throws Error that names the option at fault. */
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
    },
  });
  return {
    seconds: wholeNumber('seconds', values.seconds, MAX_SECONDS, DEFAULT_SECONDS),
    rows: readRows(values.rows),
    isTogether: values.together,
    isJson: values.json,
    isProfiled: values.profile,
    countsCommands: values.commands,
  };
}
