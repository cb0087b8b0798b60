import { parseArgs } from 'node:util';

/** The size of a run. */
export interface LoadOptions {
  readonly seconds: number;
  /** Sends per second. */
  readonly rate: number;
  readonly phones: number;
  /** Whether each process of the service writes a CPU profile. */
  readonly isProfiled: boolean;
}

const DEFAULTS = { seconds: 300, rate: 100, phones: 200 } as const;

function wholeNumber(name: keyof typeof DEFAULTS, text: string | undefined, max: number): number {
  if (text === undefined) return DEFAULTS[name];
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > max) {
    throw new Error(`--${name} must be a whole number from 1 to ${max}, not ${text}`);
  }
  return number;
}

/** Parses the command line. @throws Error that names the invalid option. */
export function readOptions(args: readonly string[]): LoadOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: 'string' },
      rate: { type: 'string' },
      phones: { type: 'string' },
      profile: { type: 'boolean', default: false },
    },
  });
  return {
    seconds: wholeNumber('seconds', values.seconds, 86_400),
    rate: wholeNumber('rate', values.rate, 10_000),
    phones: wholeNumber('phones', values.phones, 5_000),
    isProfiled: values.profile,
  };
}

/** The command that repeats the run. */
export function formatCommand({ seconds, rate, phones }: LoadOptions): string {
  return `npm run test:load -- --seconds ${seconds} --rate ${rate} --phones ${phones}`;
}
