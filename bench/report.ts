import type { RowResult } from './bench-run';
import { ROWS } from './rows/rows';

const BAR = 20;

/** A table of the rows with a bar for each ratio. */
export function tableOf(results: readonly RowResult[]): string {
  const head = ['row', 'a second', 'limit', 'ratio', '', 'p50 ms', 'p99 ms', 'comparison', 'times it'];
  const rows = results.map(({ figures }) => {
    const { comparison, unit } = ROWS[figures.name];
    return [
      figures.name,
      `${number(figures.perSecond)} ${unit}`,
      number(figures.limitPerSecond),
      figures.ratio.toFixed(2),
      barOf(figures.ratio),
      figures.p50.toFixed(1),
      figures.p99.toFixed(1),
      comparison === undefined ? '-' : number(comparison),
      comparison === undefined ? '-' : (figures.perSecond / comparison).toFixed(1),
    ];
  });
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
}

/** The database commands of one unit of a row. */
export function commandsOf({ figures, commands }: RowResult): string {
  const lines = Object.entries(commands ?? {})
    .sort(([, one], [, other]) => other - one)
    .map(([command, count]) => `  ${count.toFixed(3).padStart(8)}  ${command}`);
  return [`${figures.name}: database commands, each of ${ROWS[figures.name].unit}`, ...lines].join('\n');
}

/** Where each process of a row spent its time itself. */
export function profilesOf({ figures, profiles }: RowResult): string {
  const lines = [...(profiles ?? [])].flatMap(([process, { busy, byPackage, byFunction }]) => [
    `${figures.name}: ${process} computed ${percent(busy)} of the time; of that`,
    ...byPackage.map(({ where, share }) => `  ${percent(share)}  ${where}`),
    ...byFunction.map(({ where, share }) => `  ${percent(share)}    ${where}`),
  ]);
  return lines.join('\n');
}

function number(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: value < 100 ? 1 : 0 });
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1).padStart(5)} %`;
}

/** A bar as long as the ratio; full at the limit. */
function barOf(ratio: number): string {
  const length = Math.round(Math.min(1, ratio) * BAR);
  return '█'.repeat(length) + '░'.repeat(BAR - length);
}
