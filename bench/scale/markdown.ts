import { ROWS } from '../rows/rows';
import type { Growth } from './growth';

/** Formats the plot and a table for each axis. */
export function formatMarkdown(growths: readonly Growth[]): string {
  return [
    '# How cost grows',
    '',
    'Written by `npm run bench:scale`: milliseconds that the service takes for one unit of each row (what the rows are is in',
    '[performance.md](performance.md)), asked by one caller at a time, on an account that grows. Each figure is the best of',
    'three turns after a warm-up, because what else a machine does only ever adds.',
    '',
    '![Cost of each row by stored messages and by devices](scaling.svg)',
    ...growths.flatMap((growth) => ['', ...formatTable(growth)]),
    '',
  ].join('\n');
}

function formatTable({ axis, fixed, sizes, series }: Growth): string[] {
  const head = ['Row', 'Unit', ...sizes.map((size) => size.toLocaleString('en'))];
  const rows = series.map(({ row, costs }) => [`\`${row}\``, unitOf(row), ...costs.map(milliseconds)]);
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((cells) => cells[column]?.length ?? 0)),
  );
  const pad = (cell: string, column: number) =>
    column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  const line = (cells: readonly string[]) => `| ${cells.map(pad).join(' | ')} |`;
  const rule = widths.map((width, column) => (column < 2 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [
    `## By ${axis}`,
    '',
    `With ${fixed}; in milliseconds.`,
    '',
    line(head),
    line(rule),
    ...rows.map(line),
  ];
}

function unitOf(row: keyof typeof ROWS): string {
  return ROWS[row].unit.replace(/s$/, '');
}

/** Three significant figures. */
function milliseconds(cost: number): string {
  return Number.isNaN(cost) ? '-' : String(Number(cost.toPrecision(3)));
}
