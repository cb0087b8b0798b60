import { join } from 'node:path';
import { parseArgs } from 'node:util';

export interface ScaleOptions {
  /** Stored messages, ascending. */
  readonly messages: readonly number[];
  /** Devices of the account, ascending. */
  readonly devices: readonly number[];
  /** Seconds for each row at each size. */
  readonly seconds: number;
  /** The output folder. */
  readonly folder: string;
}

const DEFAULT_MESSAGES = [1_000, 10_000, 100_000, 1_000_000];
const DEFAULT_DEVICES = [1, 10, 100];
const MAX_MESSAGES = 10_000_000;
const MAX_DEVICES = 1_000;
const DEFAULT_SECONDS = 3;
const MAX_SECONDS = 60;

function wholeNumber(name: string, text: string, max: number): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > max) {
    throw new Error(`--${name} must be whole numbers from 1 to ${max}, not ${text}`);
  }
  return number;
}

function sizes(
  name: string,
  text: string | undefined,
  most: number,
  defaultSizes: readonly number[],
): readonly number[] {
  if (text === undefined) return defaultSizes;
  const numbers = text.split(',').map((part) => wholeNumber(name, part, most));
  return [...new Set(numbers)].sort((one, other) => one - other);
}

/** Parses the command line. @throws Error that names the invalid option. */
export function readScaleOptions(args: readonly string[]): ScaleOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      messages: { type: 'string' },
      devices: { type: 'string' },
      seconds: { type: 'string' },
      out: { type: 'string', default: join('docs', 'operate') },
    },
  });
  const { seconds } = values;
  return {
    messages: sizes('messages', values.messages, MAX_MESSAGES, DEFAULT_MESSAGES),
    devices: sizes('devices', values.devices, MAX_DEVICES, DEFAULT_DEVICES),
    seconds: seconds === undefined ? DEFAULT_SECONDS : wholeNumber('seconds', seconds, MAX_SECONDS),
    folder: values.out,
  };
}
