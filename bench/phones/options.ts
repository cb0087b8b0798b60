import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { wholeNumber } from '../whole-number';

export interface PhonesOptions {
  readonly streams: number;
  readonly isJson: boolean;
  /** The folder of another checkout with its build, which is measured first. */
  readonly against?: string;
}

/** Parses the command line. @throws Error that names the invalid option. */
export function readOptions(args: readonly string[]): PhonesOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      streams: { type: 'string', default: '2000' },
      json: { type: 'boolean', default: false },
      against: { type: 'string' },
    },
  });
  return {
    streams: wholeNumber('streams', values.streams, 10_000),
    isJson: values.json,
    ...(values.against !== undefined && { against: resolve(values.against) }),
  };
}
