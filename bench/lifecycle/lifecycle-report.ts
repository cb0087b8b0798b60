import type { LifecycleFigures } from './lifecycle-figures';

/** The rate of a build counts while 99 % of its messages reach their phone in less time. */
const MAX_TO_PHONE_MS = 500;

/** A table of the rows, and the highest rate of each build that its phones keep up with. */
export function lifecycleTable(rows: readonly LifecycleFigures[]): string {
  const processes = Object.keys(rows[0]?.cpuMs ?? {});
  const head = [
    'build',
    'a second',
    'answer p99 ms',
    'to phone p50 ms',
    'p99 ms',
    'CPU ms a message',
    ...processes,
    'commands a message',
    'late',
  ];
  const lines = rows.map((row) => [
    row.build,
    String(row.rate),
    row.answerP99.toFixed(0),
    row.toPhoneP50.toFixed(0),
    row.toPhoneP99.toFixed(0),
    row.serviceCpuMs.toFixed(2),
    ...processes.map((name) => (row.cpuMs[name] ?? 0).toFixed(2)),
    row.commandCount.toFixed(2),
    row.late.toFixed(0),
  ]);
  const widths = head.map((_, column) =>
    Math.max(...[head, ...lines].map((cells) => cells[column]?.length ?? 0)),
  );
  const table = [head, ...lines].map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const builds = [...new Set(rows.map(({ build }) => build))];
  return [...table, '', ...builds.map((build) => highestRate(build, rows))].join('\n');
}

function highestRate(build: string, rows: readonly LifecycleFigures[]): string {
  const rates = rows
    .filter((row) => row.build === build && row.toPhoneP99 < MAX_TO_PHONE_MS)
    .map(({ rate }) => rate);
  const text = rates.length > 0 ? `${Math.max(...rates)} messages a second` : 'no rate that was measured';
  return `${build}: ${text} with a p99 to the phone under ${MAX_TO_PHONE_MS} ms`;
}

/** The database commands of one message, by build at its first rate. */
export function lifecycleCommands(rows: readonly LifecycleFigures[]): string {
  return [...new Map(rows.toReversed().map((row) => [row.build, row])).values()]
    .map(({ build, rate, commands }) => {
      const lines = Object.entries(commands)
        .sort(([, one], [, other]) => other - one)
        .map(([command, count]) => `  ${count.toFixed(3).padStart(8)}  ${command}`);
      return [`${build} at ${rate} a second: database commands of a message`, ...lines].join('\n');
    })
    .join('\n');
}
