import { median } from '../../test/load/statistics';
import { sum } from '../../src/common/sum';

/** Of one build, in a minute. */
export interface IdleFigures {
  readonly build: string;
  /** From the start of the process, with an existing database, until it is ready. */
  readonly startMs: number;
  readonly memoryMb: number;
  readonly serviceCpuMs: number;
  readonly databaseCpuMs: number;
  readonly redisCpuMs: number;
  /** By name and collection. */
  readonly databaseCommands: Readonly<Record<string, number>>;
  readonly databaseBytes: number;
  /** By name. */
  readonly redisCommands: Readonly<Record<string, number>>;
  readonly redisBytes: number;
}

const FIGURES: readonly (readonly [name: string, valueOf: (figures: IdleFigures) => number])[] = [
  ['start ms', ({ startMs }) => startMs],
  ['memory MB', ({ memoryMb }) => memoryMb],
  ['CPU ms', ({ serviceCpuMs }) => serviceCpuMs],
  ['of the database', ({ databaseCpuMs }) => databaseCpuMs],
  ['of Redis', ({ redisCpuMs }) => redisCpuMs],
  ['database commands', ({ databaseCommands }) => sum(Object.values(databaseCommands), Number)],
  ['kB', ({ databaseBytes }) => databaseBytes / 1_024],
  ['Redis commands', ({ redisCommands }) => sum(Object.values(redisCommands), Number)],
  ['kB', ({ redisBytes }) => redisBytes / 1_024],
];

/** The medians of each build, and what this one has of the other. */
export function idleTable(turns: readonly IdleFigures[]): string {
  const builds = [...new Set(turns.map(({ build }) => build))];
  const rows = builds.map((build) =>
    FIGURES.map(([, valueOf]) => median(turns.filter((turn) => turn.build === build).map(valueOf))),
  );
  const lines = [
    ['build', ...FIGURES.map(([name]) => name)],
    ...rows.map((values, row) => [builds[row] ?? '', ...values.map((value) => value.toFixed(0))]),
  ];
  const [before, after] = rows;
  if (before && after)
    lines.push(['ratio', ...after.map((value, column) => (value / (before[column] ?? 1)).toFixed(2))]);
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  return lines
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths?.[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** The commands of a minute, by build in its last turn. */
export function idleCommands(turns: readonly IdleFigures[]): string {
  return [...new Map(turns.map((turn) => [turn.build, turn])).values()]
    .map(({ build, databaseCommands, redisCommands }) =>
      [
        `${build}: database commands in a minute`,
        ...linesOf(databaseCommands),
        `${build}: Redis commands in a minute`,
        ...linesOf(redisCommands),
      ].join('\n'),
    )
    .join('\n');
}

const linesOf = (counts: Readonly<Record<string, number>>): string[] =>
  Object.entries(counts)
    .sort(([, one], [, other]) => other - one)
    .map(([name, count]) => `  ${count.toFixed(0).padStart(6)}  ${name}`);
