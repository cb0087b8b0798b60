import type { RowResult } from './bench-run';
import { ROWS } from './rows/rows';

const BAR = 20;

/** Formats the rows as a table with a bar for each ratio. */
export function formatTable(results: readonly RowResult[]): string {
  const isComparison = new Set(results.map(({ build }) => build)).size > 1;
  const head = [
    'row',
    ...(isComparison ? ['build'] : []),
    'a second',
    'limit',
    'ratio',
    '',
    'p50 ms',
    'p99 ms',
    'comparison',
    'times it',
  ];
  const rows = results.map(({ figures, build }) => {
    const { comparison, unit } = ROWS[figures.name];
    return [
      figures.name,
      ...(isComparison ? [build] : []),
      `${number(figures.perSecond)} ${unit}`,
      number(figures.limitPerSecond),
      figures.ratio.toFixed(2),
      formatBar(figures.ratio),
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

/** Formats the database commands per unit of a row. */
export function formatCommands({ figures, commands }: RowResult): string {
  const lines = Object.entries(commands)
    .sort(([, one], [, other]) => other - one)
    .map(([command, count]) => `  ${count.toFixed(3).padStart(8)}  ${command}`);
  return [`${figures.name}: database commands, each of ${ROWS[figures.name].unit}`, ...lines].join('\n');
}

/** Formats the self time of each process of a row. */
export function formatProfiles({ figures, profiles }: RowResult): string {
  const lines = [...profiles].flatMap(([process, { busy, byPackage, byFunction }]) => [
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

/** A bar for a ratio; full at 1. */
function formatBar(ratio: number): string {
  const length = Math.round(Math.min(1, ratio) * BAR);
  return '█'.repeat(length) + '░'.repeat(BAR - length);
}
