import { parseArgs } from 'node:util';

export interface SmsGateBenchOptions {
  readonly streams: number;
  /** Messages to phones that were not woken; a tenth of them to one that was. */
  readonly messages: number;
  readonly isJson: boolean;
}

/** Parses the command line. @throws Error that names the invalid option. */
export function readOptions(args: readonly string[]): SmsGateBenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      streams: { type: 'string', default: '2000' },
      messages: { type: 'string', default: '300' },
      json: { type: 'boolean', default: false },
    },
  });
  return {
    streams: wholeNumber('streams', values.streams, 5_000),
    messages: wholeNumber('messages', values.messages, 5_000),
    isJson: values.json,
  };
}

function wholeNumber(name: string, text: string, max: number): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > max)
    throw new Error(`--${name} must be a whole number from 1 to ${max}, not ${text}`);
  return number;
}
