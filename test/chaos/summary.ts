import type { ChaosFigures } from './chaos-figures';
import { countStoredAgain, expectedEvents } from './checker';
import type { Verdict } from './verdict';
import type { Evidence, MessageEvidence, SendEvidence } from './evidence';
import { type ChaosOptions, formatCommand } from './options';

const MAX_LINES = 40;

/** Formats the figures as a table and lists the findings. */
export function formatSummary(
  options: ChaosOptions,
  evidence: Evidence,
  figures: ChaosFigures,
  verdict: Verdict,
): string {
  const kills = [...figures.kills.values()].reduce((sum, count) => sum + count, 0);
  const countRecipients = (sends: readonly SendEvidence[]) =>
    sends.reduce((sum, { recipients }) => sum + recipients.length, 0);
  const attempted = evidence.messages.filter(({ attempts }) => attempts.length > 0);
  const contradicted = evidence.sentSms.filter(
    ({ contradictedAfterMs }) => contradictedAfterMs !== undefined,
  );
  const hasMoved = ({ status, device, attempts }: MessageEvidence) =>
    status !== 'failed' && attempts.some((attempt) => attempt.device !== device);
  const rows: [string, string | number][] = [
    ['seed', options.seed],
    ['rounds', `${options.rounds} of ${options.secondsPerRound} s`],
    ['kills', kills],
    ...[...figures.kills].map(([kill, count]): [string, number] => [`  ${kill}`, count]),
    ['  scheduler, between steps of maintenance', figures.stepKills],
    ['restarts of service processes', figures.restarts],
    ['slowest graceful stop', `${(figures.slowestStopMs / 1_000).toFixed(1)} s`],
    ['sends', evidence.sends.length],
    ['messages', countRecipients(evidence.sends)],
    ['  to pools', countRecipients(evidence.sends.filter(({ pool }) => pool))],
    ['    with attempts that did not leave', attempted.length],
    ['    moved to another phone and not failed', attempted.filter(hasMoved).length],
    ['  handed to Android', evidence.sentSms.length],
    ['  in doubt (FCM)', verdict.inDoubt.length],
    ['  first reported as not sent, then as sent', contradicted.length],
    ['    sent twice, because the second report was late', verdict.lateContradictions.length],
    ['incoming messages', evidence.uploads.length],
    ['  stored again after retention had removed them', countStoredAgain(evidence)],
    ['messages removed by retention', figures.removedMessages],
    ['  reported later', figures.lateReports],
    ['events', expectedEvents(evidence).length],
    ['webhook deliveries', evidence.deliveries.length],
    ['  requests received', evidence.webhookRequests.length],
    ['  redelivered manually', figures.manualRedeliveries],
    ['losses', verdict.losses.length],
    ['duplicates', verdict.duplicates.length],
    ['moved without proof', verdict.unproven.length],
    ['other errors', verdict.otherErrors.length],
    ['wrong counters', verdict.drift.length],
  ];
  return formatFindings(
    rows,
    [
      ['Losses', verdict.losses],
      ['Duplicates', verdict.duplicates],
      ['Moved without proof', verdict.unproven],
      ['Other errors', verdict.otherErrors],
      ['Wrong counters', verdict.drift],
      ['In doubt (allowed)', verdict.inDoubt],
      ['Sent twice, because the second report was late (allowed)', verdict.lateContradictions],
    ],
    formatCommand(options),
  );
}

/** Formats figures as a table, lists of findings, and the command that repeats the run. */
export function formatFindings(
  rows: readonly (readonly [string, string | number])[],
  lists: readonly (readonly [string, readonly string[]])[],
  command: string,
): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  const table = rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`);
  return [
    '',
    ...table,
    ...lists.flatMap(([title, lines]) => formatList(title, lines)),
    '',
    `Repeat with: ${command}`,
  ].join('\n');
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

/** Whether a run has passed. */
export function isGood({ losses, duplicates, unproven, otherErrors, drift }: Verdict): boolean {
  return [losses, duplicates, unproven, otherErrors, drift].every((list) => list.length === 0);
}
