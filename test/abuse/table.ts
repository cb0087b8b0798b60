import type { Finding } from './attack';

const HEADERS = ['Attack', 'Cost to the attacker', 'Effect on the other tenant', 'Bound', 'Passed'];

/** Formats the findings as a table. */
export function formatTable(findings: readonly Finding[]): string {
  const rows = findings.map(({ attack, cost, effect, bound, passed }) => [
    attack,
    cost,
    effect,
    bound,
    passed ? 'yes' : 'NO',
  ]);
  const all = [HEADERS, ...rows];
  const widths = HEADERS.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')).join('\n');
}
