import { parseArgs } from 'node:util';

export interface AbuseOptions {
  /** Names of the attacks to run; all if empty. */
  readonly attacks: readonly string[];
  readonly isShort: boolean;
  /** Measure every route instead. */
  readonly isOfRoutes: boolean;
  /** Of these, only those whose names begin so; all if empty. */
  readonly routes: readonly string[];
}

/**
 * Parses the command line: `--attack NAME[,NAME]`, `--routes`, `--route PREFIX[,PREFIX]`, `--ci` for the short run.
 * @throws Error that names the invalid option
 */
export function readOptions(args: readonly string[], known: readonly string[]): AbuseOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      attack: { type: 'string' },
      routes: { type: 'boolean', default: false },
      route: { type: 'string' },
      ci: { type: 'boolean', default: false },
    },
  });
  const attacks = values.attack?.split(',') ?? [];
  const unknown = attacks.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`--attack must be one of ${known.join(', ')}, not ${unknown}`);
  return {
    attacks,
    isShort: values.ci,
    isOfRoutes: values.routes || values.route !== undefined,
    routes: values.route?.split(',') ?? [],
  };
}
