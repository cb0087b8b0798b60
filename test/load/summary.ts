import { cpus } from 'node:os';
import type { Verdict } from '../chaos/checker';
import type { Evidence } from '../chaos/evidence';
import { percentile } from './figures';
import { type Check, growths } from './judge';
import type { LoadFigures } from './load-figures';
import { commandOf, type LoadOptions } from './options';

const MAX_LINES = 20;

/** What a run came to, as tables in Markdown, and whatever is wrong line by line. */
export function summaryOf(
  options: LoadOptions,
  evidence: Evidence,
  figures: LoadFigures,
  { checks, verdict }: { checks: readonly Check[]; verdict: Verdict },
): string {
  const { answerTimes, toPhoneTimes, seconds, redis } = figures;
  const answered = seconds.map((second) => second.answered);
  const rows: [string, string][] = [
    [
      'Sends',
      `${figures.due}: ${options.rate} a second for ${options.seconds} s, to ${options.phones} phones`,
    ],
    ['Answered with 200', String(evidence.sends.filter(({ batches }) => batches.length === 1).length)],
    ['Answered in a second, least and most', `${Math.min(...answered)}, ${Math.max(...answered)}`],
    ['Answer: p50, p99, longest', timesOf(answerTimes)],
    ['Message at its phone: p50, p99, longest', timesOf(toPhoneTimes)],
    [
      'Sends begun late by this program',
      `${figures.late}; held up for ${Math.round(figures.longestStallMs)} ms at most`,
    ],
    ['Streams that broke', String(figures.reopenedStreams)],
    ['On the air', String(evidence.airings.length)],
    [
      'Events, requests that brought them',
      `${verdict.losses.length === 0 ? evidence.deliveries.length : '?'}, ${figures.webhookRequests}`,
    ],
    ['Most events waiting', String(figures.mostWaiting)],
    ['Replayed by the operator', String(figures.replayed)],
    [
      'Caught up after the return of the receiver',
      figures.caughtUpAfter === undefined ? 'never' : `${figures.caughtUpAfter.toFixed(1)} s`,
    ],
    ['Settled after the last send', `${figures.settledAfter.toFixed(1)} s`],
    ...Object.entries(figures.cores).map(([name, cores]): [string, string] => [
      `Cores busy: ${name}`,
      cores.toFixed(2) + (name === 'the whole machine' ? ` of ${cpus().length}` : ''),
    ]),
    ...growths(figures).map(({ process, second, last, most }): [string, string] => [
      `Memory of ${process}: second quarter, last quarter, most`,
      `${Math.round(second)}, ${Math.round(last)}, ${Math.round(most)} MB`,
    ]),
    ['Keys in Redis at the end', String(redis.keys)],
  ];
  return [
    '',
    ...table(['Figure', 'Value'], rows),
    '',
    ...table(
      ['Check', 'Result', 'Found'],
      checks.map(({ what, isGood, detail }) => [what, RESULT[String(isGood) as keyof typeof RESULT], detail]),
    ),
    ...listOf('Losses', verdict.losses),
    ...listOf('Duplicates', verdict.duplicates),
    ...listOf('Other faults', verdict.wrong),
    ...listOf('Drift', verdict.drift),
    ...listOf('Jobs left in Redis', redis.jobsLeft),
    '',
    `Again: ${commandOf(options)}`,
  ].join('\n');
}

const RESULT = { true: 'yes', false: 'NO', undefined: '-' } as const;

function timesOf(milliseconds: readonly number[]): string {
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

function listOf(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const more = lines.length - MAX_LINES;
  return [
    '',
    `${title}:`,
    ...lines.slice(0, MAX_LINES).map((line) => `  ${line}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}
