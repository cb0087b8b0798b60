import { type ChaosOptions, formatCommand } from '../options';
import { formatFindings } from '../summary';
import type { AppEvidence, AppVerdict } from './app-evidence';

/** Formats the figures of a run with the app as a table, and lists the findings. */
export function formatAppSummary(options: ChaosOptions, evidence: AppEvidence, verdict: AppVerdict): string {
  const { phones, messages, stored } = evidence;
  const rows: [string, number][] = [
    ['messages through the app', messages.length],
    ...[...new Set(messages.map(({ status = '' }) => status))]
      .sort()
      .map((status): [string, number] => [
        `  ${status}`,
        messages.filter((message) => message.status === status).length,
      ]),
    ['  aired', phones.reduce((sum, { aired }) => sum + aired.length, 0)],
    ['texts that arrived', phones.reduce((sum, { received }) => sum + received.length, 0)],
    ['  stored', stored.length],
    ['losses', verdict.losses.length],
    ['duplicates', verdict.duplicates.length],
    ['wrong states', verdict.wrongStates.length],
    ['deliveries whose report was lost (allowed)', verdict.lostDeliveries.length],
    ['other errors', verdict.otherErrors.length],
  ];
  return formatFindings(
    rows,
    [
      ['Losses', verdict.losses],
      ['Duplicates', verdict.duplicates],
      ['Wrong states', verdict.wrongStates],
      ['Other errors', verdict.otherErrors],
    ],
    formatCommand({ ...options, isAppOnly: true }),
  );
}

export function isGoodAppRun({ losses, duplicates, wrongStates, otherErrors }: AppVerdict): boolean {
  return [losses, duplicates, wrongStates, otherErrors].every((findings) => findings.length === 0);
}
