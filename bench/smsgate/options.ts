import { parseArgs } from 'node:util';
import { wholeNumber } from '../whole-number';

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
