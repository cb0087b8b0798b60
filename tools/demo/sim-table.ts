/** What the table shows of a SIM. */
export interface SimRow {
  readonly label: string;
  /** The carrier's cap. */
  readonly cap: string;
  /** Messages on the air. */
  readonly sent: number;
  /** Failed messages. */
  readonly failed: number;
  /** Messages that it is to send. */
  readonly waiting: number;
  /** Parts on the air. */
  readonly partsPerMinute: number;
  readonly block: string | undefined;
  /** State of the breaker. */
  readonly breaker: string;
}

const COLUMNS = ['SIM', 'carrier cap', 'sent', 'failed', 'waiting', 'parts/min', 'block', 'breaker'] as const;
const BAR_CELLS = 30;

/** A header and a line for each SIM. */
export function simTable(rows: readonly SimRow[]): string[] {
  const cells = [
    [...COLUMNS],
    ...rows.map(({ label, cap, sent, failed, waiting, partsPerMinute, block, breaker }) => [
      label,
      cap,
      String(sent),
      String(failed),
      String(waiting),
      partsPerMinute.toFixed(0),
      block === undefined ? '-' : `blocked (${block})`,
      breaker,
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
 * @param count messages. @param now epoch milliseconds.
 */
export function totalLine(
  rows: readonly SimRow[],
  count: number,
  { sentAt, forecastAt }: { readonly sentAt: number; readonly forecastAt: number },
  now: number,
): string {
  const sum = (valueOf: (row: SimRow) => number) => rows.reduce((total, row) => total + valueOf(row), 0);
  const attempted = sum(({ sent, failed }) => sent + failed);
  const filled = Math.floor((Math.min(attempted, count) / count) * BAR_CELLS);
  const facts = [
    `${attempted} of ${count} messages`,
    `${sum(({ partsPerMinute }) => partsPerMinute).toFixed(0)} parts/min`,
    `${sum(({ failed }) => failed)} failed`,
    `${seconds(now - sentAt)} of ${seconds(forecastAt - sentAt)} s by the forecast`,
  ];
  return `${'█'.repeat(filled)}${'░'.repeat(BAR_CELLS - filled)} ${facts.join(', ')}`;
}

const seconds = (ms: number) => (ms / 1_000).toFixed(0);
