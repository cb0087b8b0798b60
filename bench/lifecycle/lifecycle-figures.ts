import { median, percentile } from '../../test/load/statistics';

/** What was measured of the messages of one turn. */
export interface Lives {
  readonly messages: number;
  /** Sends that the benchmark itself started late. */
  readonly late: number;
  /** Milliseconds. */
  readonly answerTimes: readonly number[];
  readonly toPhoneTimes: readonly number[];
  /** By process. */
  readonly cpuSeconds: Readonly<Record<string, number>>;
  /** By name and collection. */
  readonly commands: Readonly<Record<string, number>>;
  /** By which the database has grown. */
  readonly bytes: StoredBytes;
}

export interface StoredBytes {
  readonly dataBytes: number;
  readonly indexBytes: number;
}

/** Per message, for one build at one rate. */
export interface LifecycleFigures {
  readonly build: string;
  readonly rate: number;
  readonly late: number;
  readonly answerP99: number;
  readonly toPhoneP50: number;
  readonly toPhoneP99: number;
  /** Milliseconds by process. */
  readonly cpuMs: Readonly<Record<string, number>>;
  /** Milliseconds of the service and the database. */
  readonly serviceCpuMs: number;
  readonly commands: Readonly<Record<string, number>>;
  readonly commandCount: number;
  readonly bytes: StoredBytes;
}

/** Processes that are not the service's or the database's. */
const OTHERS = new Set(['test', 'all']);

export function figuresOf(build: string, rate: number, lives: Lives): LifecycleFigures {
  const { messages, late, answerTimes, toPhoneTimes, cpuSeconds } = lives;
  const cpuMs = mapValues(cpuSeconds, (seconds) => (seconds * 1_000) / messages);
  const commands = mapValues(lives.commands, (count) => count / messages);
  const own = Object.entries(cpuMs).filter(([name]) => !OTHERS.has(name));
  return {
    build,
    rate,
    late,
    answerP99: percentile(answerTimes, 0.99),
    toPhoneP50: percentile(toPhoneTimes, 0.5),
    toPhoneP99: percentile(toPhoneTimes, 0.99),
    cpuMs,
    serviceCpuMs: sum(own.map(([, ms]) => ms)),
    commands,
    commandCount: sum(Object.values(commands)),
    bytes: {
      dataBytes: lives.bytes.dataBytes / messages,
      indexBytes: lives.bytes.indexBytes / messages,
    },
  };
}

/** One row for each build and rate, with the medians of its turns. */
export function mediansOf(turns: readonly LifecycleFigures[]): LifecycleFigures[] {
  const groups = new Map<string, LifecycleFigures[]>();
  for (const turn of turns) {
    const key = `${turn.build} ${turn.rate}`;
    groups.set(key, [...(groups.get(key) ?? []), turn]);
  }
  return [...groups.values()].map(medianOf);
}

function medianOf(turns: readonly LifecycleFigures[]): LifecycleFigures {
  const [first] = turns;
  if (!first) throw new Error('There is no turn');
  const of = (valueOf: (turn: LifecycleFigures) => number) => median(turns.map(valueOf));
  const each = (recordOf: (turn: LifecycleFigures) => Readonly<Record<string, number>>) =>
    mapValues(recordOf(first), (_, name) => of((turn) => recordOf(turn)[name] ?? 0));
  return {
    build: first.build,
    rate: first.rate,
    late: of(({ late }) => late),
    answerP99: of(({ answerP99 }) => answerP99),
    toPhoneP50: of(({ toPhoneP50 }) => toPhoneP50),
    toPhoneP99: of(({ toPhoneP99 }) => toPhoneP99),
    cpuMs: each(({ cpuMs }) => cpuMs),
    serviceCpuMs: of(({ serviceCpuMs }) => serviceCpuMs),
    commands: each(({ commands }) => commands),
    commandCount: of(({ commandCount }) => commandCount),
    bytes: {
      dataBytes: of(({ bytes }) => bytes.dataBytes),
      indexBytes: of(({ bytes }) => bytes.indexBytes),
    },
  };
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

function mapValues(
  record: Readonly<Record<string, number>>,
  change: (value: number, name: string) => number,
): Record<string, number> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]));
}
