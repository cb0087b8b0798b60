import { parseArgs } from 'node:util';

export interface AbuseOptions {
  /** Names of the attacks to run; all without any. */
  readonly attacks: readonly string[];
  readonly isShort: boolean;
}

/**
 * Reads the command line: `--attack NAME[,NAME]`, `--ci` for the short form.
 * @throws Error that names the option at fault
 */
export function readOptions(args: readonly string[], known: readonly string[]): AbuseOptions {
  const { values } = parseArgs({
    args: [...args],
    options: { attack: { type: 'string' }, ci: { type: 'boolean', default: false } },
  });
  const attacks = values.attack?.split(',') ?? [];
  const unknown = attacks.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`--attack must be among ${known.join(', ')}, not ${unknown}`);
  return { attacks, isShort: values.ci };
}
