import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Kill, KILLS } from './kill-plan';

const REDIS_KINDS = ['server', 'cluster', 'sentinels'] as const;
export type RedisKind = (typeof REDIS_KINDS)[number];
export type DatabaseKind = 'server' | 'replica-set';

/** The size of a run. The seed determines all random values. */
export interface ChaosOptions {
  readonly seed: number;
  readonly rounds: number;
  readonly secondsPerRound: number;
  readonly killsPerRound: number;
  /** Total number of messages. */
  readonly messages: number;
  readonly redis: RedisKind;
  readonly database: DatabaseKind;
  /** Processes of the service. */
  readonly processes: number;
  /** How much the clocks of two processes may differ. */
  readonly skewMs: number;
  /** Another checkout, whose build each process runs until it is first started again. */
  readonly upgradeFrom?: string;
  /** Whether it waits until retention has removed the messages. */
  readonly hasRetention: boolean;
  /** The kills to execute; all if undefined. */
  readonly kills?: readonly Kill[];
  /** Messages of the run with the app SMSGate. */
  readonly appMessages: number;
  /** Whether only that run takes place. */
  readonly isAppOnly: boolean;
}

const DEFAULTS = {
  rounds: 5,
  secondsPerRound: 24,
  killsPerRound: 5,
  messagesPerRound: 240,
  appMessages: 2_000,
  processes: 5,
} as const;
const MAX_SEED = 1_000_000;

/** A reproducible short run that kills each role, Redis and the database. */
const CI_RUN = {
  seed: '1',
  rounds: '2',
  'seconds-per-round': '20',
  messages: '400',
  kill: ['api', 'worker', 'scheduler', 'Redis with its data', 'database'],
};

/** The same on a Redis of several nodes, short enough to be one of several: one kill, and no retention. */
const CI_NODES_RUN = {
  seed: '1',
  rounds: '1',
  'seconds-per-round': '5',
  'kills-per-round': '1',
  messages: '40',
  kill: ['Redis master'],
};

function wholeNumber(name: string, text: string | undefined, defaultValue: number): number {
  if (text === undefined) return defaultValue;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`--${name} must be a whole number from 1, not ${text}`);
  return Number(text);
}

function parseSeed(text: string | undefined): number {
  if (text === undefined || text === 'random') return 1 + Math.floor(Math.random() * MAX_SEED);
  return wholeNumber('seed', text, 1);
}

function parseRedis(name = 'server'): RedisKind {
  const found = REDIS_KINDS.find((kind) => kind === name);
  if (found === undefined) throw new Error(`--redis must be server, cluster or sentinels, not ${name}`);
  return found;
}

function parseDatabase(name: string | undefined): DatabaseKind {
  if (name === undefined) return 'server';
  if (name !== 'server' && name !== 'replica-set')
    throw new Error(`--database must be server or replica-set, not ${name}`);
  return name;
}

function parseKill(name: string): Kill {
  const found = KILLS.find((kill) => kill === name);
  if (found === undefined) throw new Error(`--kill must be one of: ${KILLS.join('; ')}. Not ${name}`);
  return found;
}

/** Parses the command line. @throws Error that names the invalid option. */
export function readOptions(args: readonly string[]): ChaosOptions {
  const { values: given } = parseArgs({
    args: [...args],
    options: {
      ci: { type: 'boolean', default: false },
      seed: { type: 'string' },
      rounds: { type: 'string' },
      'seconds-per-round': { type: 'string' },
      'kills-per-round': { type: 'string' },
      messages: { type: 'string' },
      redis: { type: 'string' },
      database: { type: 'string' },
      processes: { type: 'string' },
      skew: { type: 'string' },
      'upgrade-from': { type: 'string' },
      'without-retention': { type: 'boolean' },
      kill: { type: 'string', multiple: true },
      'app-messages': { type: 'string' },
      'app-only': { type: 'boolean', default: false },
    },
  });
  const redis = parseRedis(given.redis);
  const database = parseDatabase(given.database);
  const isShort = given.ci && redis !== 'server';
  const values = { ...(given.ci && (isShort ? CI_NODES_RUN : CI_RUN)), ...given };
  const rounds = wholeNumber('rounds', values.rounds, DEFAULTS.rounds);
  return {
    seed: parseSeed(values.seed),
    rounds,
    secondsPerRound: wholeNumber('seconds-per-round', values['seconds-per-round'], DEFAULTS.secondsPerRound),
    killsPerRound: wholeNumber('kills-per-round', values['kills-per-round'], DEFAULTS.killsPerRound),
    messages: wholeNumber('messages', values.messages, rounds * DEFAULTS.messagesPerRound),
    redis,
    database,
    processes: wholeNumber('processes', values.processes, DEFAULTS.processes),
    skewMs: wholeNumber('skew', values.skew, 0),
    ...(values['upgrade-from'] !== undefined && { upgradeFrom: resolve(values['upgrade-from']) }),
    // What a set has done but answered with 503 may be repeated after its message was removed, which the ledgers cannot tell.
    hasRetention: !(values['without-retention'] ?? (isShort || database === 'replica-set')),
    kills: values.kill?.map(parseKill),
    appMessages: wholeNumber('app-messages', values['app-messages'], DEFAULTS.appMessages),
    isAppOnly: values['app-only'],
  };
}

/** The command that repeats the run. */
export function formatCommand(options: ChaosOptions): string {
  const { seed, rounds, secondsPerRound, killsPerRound, messages, redis, kills = [], appMessages } = options;
  return [
    `npm run test:chaos -- --seed ${seed} --rounds ${rounds} --seconds-per-round ${secondsPerRound}`,
    `--kills-per-round ${killsPerRound} --messages ${messages} --app-messages ${appMessages}`,
    ...(redis === 'server' ? [] : [`--redis ${redis}`]),
    ...(options.database === 'server' ? [] : [`--database ${options.database}`]),
    ...(options.processes === DEFAULTS.processes ? [] : [`--processes ${options.processes}`]),
    ...(options.skewMs === 0 ? [] : [`--skew ${options.skewMs}`]),
    ...(options.upgradeFrom === undefined ? [] : [`--upgrade-from '${options.upgradeFrom}'`]),
    ...(options.hasRetention ? [] : ['--without-retention']),
    ...kills.map((kill) => `--kill '${kill}'`),
    ...(options.isAppOnly ? ['--app-only'] : []),
  ].join(' ');
}
