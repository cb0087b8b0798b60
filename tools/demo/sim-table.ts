/** What the table shows of a SIM. */
export interface SimRow {
  readonly label: string;
  /** The carrier's cap. */
  readonly cap: string;
  /** Parts on the air. */
  readonly parts: number;
  readonly partsPerMinute: number;
  /** Parts on the air and parts that failed. */
  readonly attemptedParts: number;
  readonly attemptsPerMinute: number;
  /** Failed messages. */
  readonly failures: number;
  readonly block: string | undefined;
}

const COLUMNS = ['SIM', 'carrier cap', 'parts', 'parts/min', 'failed', 'block'] as const;
const BAR_CELLS = 30;

/** A header and a line for each SIM. */
export function simTable(rows: readonly SimRow[]): string[] {
  const cells = [
    [...COLUMNS],
    ...rows.map(({ label, cap, parts, partsPerMinute, failures, block }) => [
      label,
      cap,
      String(parts),
      partsPerMinute.toFixed(0),
      String(failures),
      block === undefined ? '-' : `blocked (${block})`,
    ]),
  ];
  const widths = COLUMNS.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/**
 * The campaign as a whole, with its forecast.
 * @param totalParts of all messages. @param now epoch milliseconds.
 */
export function totalLine(rows: readonly SimRow[], totalParts: number, now: number): string {
  const sum = (valueOf: (row: SimRow) => number) => rows.reduce((total, row) => total + valueOf(row), 0);
  const attempted = sum(({ attemptedParts }) => attemptedParts);
  const filled = Math.floor((attempted / totalParts) * BAR_CELLS);
  const facts = [
    `${attempted} of ${totalParts} parts`,
    `${sum(({ partsPerMinute }) => partsPerMinute).toFixed(0)}/min`,
    `${sum(({ failures }) => failures)} messages failed`,
    forecast(
      totalParts - attempted,
      sum(({ attemptsPerMinute }) => attemptsPerMinute),
      now,
    ),
  ];
  return `${'█'.repeat(filled)}${'░'.repeat(BAR_CELLS - filled)} ${facts.join(', ')}`;
}

function forecast(parts: number, perMinute: number, now: number): string {
  if (parts <= 0) return 'all attempted';
  if (perMinute === 0) return 'no forecast yet';
  const seconds = (parts / perMinute) * 60;
  return `${Math.ceil(seconds)} s left, until ${new Date(now + seconds * 1000).toTimeString().slice(0, 8)}`;
}
