import { parseArgs } from 'node:util';

/** How large a run is. */
export interface LoadOptions {
  readonly seconds: number;
  /** Sends a second. */
  readonly rate: number;
  readonly phones: number;
  /** Whether each process of the service writes a CPU profile. */
  readonly isProfiled: boolean;
}

const DEFAULTS = { seconds: 300, rate: 100, phones: 200 } as const;

function wholeNumber(name: keyof typeof DEFAULTS, text: string | undefined, most: number): number {
  if (text === undefined) return DEFAULTS[name];
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > most) {
    throw new Error(`--${name} must be a whole number from 1 to ${most}, not ${text}`);
  }
  return number;
}

/** Reads the command line. @throws Error that names the option at fault. */
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

/** The command that makes the same run again. */
export function commandOf({ seconds, rate, phones }: LoadOptions): string {
  return `npm run test:load -- --seconds ${seconds} --rate ${rate} --phones ${phones}`;
}
