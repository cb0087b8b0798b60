import { cpus } from 'node:os';
import type { Verdict } from '../chaos/verdict';
import type { Evidence } from '../chaos/evidence';
import { percentile } from './statistics';
import { type Check, measureMemoryGrowth } from './checks';
import type { LoadFigures } from './load-figures';
import { formatCommand, type LoadOptions } from './options';

const MAX_LINES = 20;

/** Formats the figures and checks as Markdown tables and lists the findings. */
export function formatSummary(
  options: LoadOptions,
  evidence: Evidence,
  figures: LoadFigures,
  { checks, verdict }: { checks: readonly Check[]; verdict: Verdict },
): string {
  const { responseTimes, sendToPhoneTimes, seconds, redis } = figures;
  const answered = seconds.map((second) => second.answered);
  const rows: [string, string][] = [
    [
      'Sends',
      `${figures.dueSends}: ${options.rate} a second for ${options.seconds} s, to ${options.phones} phones`,
    ],
    ['Answered with 200', String(evidence.sends.filter(({ batches }) => batches.length === 1).length)],
    ['Answers a second: min, max', `${Math.min(...answered)}, ${Math.max(...answered)}`],
    ['Response time: p50, p99, max', formatTimes(responseTimes)],
    ['Send to phone: p50, p99, max', formatTimes(sendToPhoneTimes)],
    [
      'Sends started late by the test',
      `${figures.lateSends}; by at most ${Math.round(figures.longestStallMs)} ms`,
    ],
    ['Broken streams', String(figures.reopenedStreams)],
    ['SMS sent by phones', String(evidence.sentSms.length)],
    [
      'Events, webhook requests',
      `${verdict.losses.length === 0 ? evidence.deliveries.length : '?'}, ${figures.webhookRequests}`,
    ],
    ['Largest event backlog', String(figures.maxBacklog)],
    ['Replayed events', String(figures.replayed)],
    [
      'Backlog cleared after the receiver returned',
      figures.backlogClearedAfter === undefined ? 'never' : `${figures.backlogClearedAfter.toFixed(1)} s`,
    ],
    ['All settled after the last send', `${figures.settledAfter.toFixed(1)} s`],
    ...Object.entries(figures.cores).map(([name, cores]): [string, string] => [
      `Cores busy: ${name}`,
      cores.toFixed(2) + (name === 'all' ? ` of ${cpus().length}` : ''),
    ]),
    ...measureMemoryGrowth(figures).map(({ process, secondQuarter, lastQuarter, max }): [string, string] => [
      `Memory of ${process}: second quarter, last quarter, max`,
      `${Math.round(secondQuarter)}, ${Math.round(lastQuarter)}, ${Math.round(max)} MB`,
    ]),
    ['Keys in Redis at the end', String(redis.keys)],
  ];
  return [
    '',
    ...table(['Figure', 'Value'], rows),
    '',
    ...table(
      ['Check', 'Result', 'Found'],
      checks.map(({ name, isGood, detail }) => [name, RESULT[String(isGood) as keyof typeof RESULT], detail]),
    ),
    ...formatList('Losses', verdict.losses),
    ...formatList('Duplicates', verdict.duplicates),
    ...formatList('Other errors', verdict.otherErrors),
    ...formatList('Wrong counters', verdict.drift),
    ...formatList('Jobs left in Redis', redis.leftoverJobs),
    '',
    `Repeat with: ${formatCommand(options)}`,
  ].join('\n');
}

const RESULT = { true: 'yes', false: 'NO', undefined: '-' } as const;

function formatTimes(milliseconds: readonly number[]): string {
  const [p50, p99, most] = [0.5, 0.99, 1].map((share) => Math.round(percentile(milliseconds, share)));
  return `${String(p50)}, ${String(p99)}, ${String(most)} ms`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)];
}

function formatList(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const more = lines.length - MAX_LINES;
  return [
    '',
    `${title}:`,
    ...lines.slice(0, MAX_LINES).map((line) => `  ${line}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}
