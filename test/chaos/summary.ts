import type { ChaosFigures } from './chaos-figures';
import { expectedEvents, type Verdict } from './checker';
import type { Evidence } from './evidence';
import { type ChaosOptions, commandOf } from './options';

const MAX_LINES = 40;

/** What a run came to, as a table, and whatever is wrong line by line. */
export function summaryOf(
  options: ChaosOptions,
  evidence: Evidence,
  figures: ChaosFigures,
  verdict: Verdict,
): string {
  const kills = [...figures.kills.values()].reduce((sum, count) => sum + count, 0);
  const messages = evidence.sends.reduce((sum, { recipients }) => sum + recipients.length, 0);
  const rows: [string, string | number][] = [
    ['seed', options.seed],
    ['rounds', `${options.rounds} of ${options.secondsPerRound} s`],
    ['kills', kills],
    ...[...figures.kills].map(([kill, count]): [string, number] => [`  ${kill}`, count]),
    ['restarts of service processes', figures.restarts],
    ['slowest graceful stop', `${(figures.slowestStopMs / 1_000).toFixed(1)} s`],
    ['sends', evidence.sends.length],
    ['messages', messages],
    ['  on the air', evidence.airings.length],
    ['  in doubt (FCM)', verdict.inDoubt.length],
    ['incoming messages', evidence.uploads.length],
    ['events', expectedEvents(evidence).length],
    ['webhook deliveries', evidence.deliveries.length],
    ['  requests received', evidence.posts.length],
    ['  asked for again by hand', figures.redeliveredByHand],
    ['losses', verdict.losses.length],
    ['duplicates', verdict.duplicates.length],
    ['other faults', verdict.wrong.length],
    ['counters that had drifted before they were counted anew', figures.drifted],
    ['counters that are wrong', verdict.drift.length],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  const table = rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`);
  const lists = (
    [
      ['Losses', verdict.losses],
      ['Duplicates', verdict.duplicates],
      ['Other faults', verdict.wrong],
      ['Wrong counters', verdict.drift],
      ['In doubt (allowed)', verdict.inDoubt],
    ] as const
  ).flatMap(([title, lines]) => listOf(title, lines));
  return ['', ...table, ...lists, '', `Again: ${commandOf(options)}`].join('\n');
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

/** Whether a run is as it should be. */
export function isGood({ losses, duplicates, wrong, drift }: Verdict): boolean {
  return [losses, duplicates, wrong, drift].every((list) => list.length === 0);
}
