import type { DemoMessage } from './gateway-api';

const COLUMNS = [
  'recipient',
  'requested',
  'dispatched',
  'push received',
  'sent',
  'delivered',
  'status',
] as const;

/** A table of times: the request, then the seconds since. */
export function timeline(messages: readonly DemoMessage[]): string {
  const rows = [[...COLUMNS], ...messages.map(rowOf)];
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** @returns undefined if nothing was delivered. */
export function deliveryTimes(messages: readonly DemoMessage[]): string | undefined {
  const seconds = messages
    .map(({ requestedAt, deliveredAt }) => secondsBetween(requestedAt, deliveredAt))
    .filter((value) => value !== undefined)
    .sort((one, other) => one - other);
  const longest = seconds.at(-1);
  const middle = seconds[Math.floor((seconds.length - 1) / 2)];
  if (longest === undefined || middle === undefined) return undefined;
  return `request to delivery: median ${middle.toFixed(2)} s, longest ${longest.toFixed(2)} s`;
}

function rowOf(message: DemoMessage): string[] {
  const { requestedAt, errorMessage, status = 'unknown' } = message;
  return [
    message.recipient ?? '',
    requestedAt === undefined ? '-' : requestedAt.slice(11, 23),
    since(requestedAt, message.dispatchedAt),
    since(requestedAt, message.pushReceivedAt),
    since(requestedAt, message.sentAt),
    since(requestedAt, message.deliveredAt),
    errorMessage === undefined ? status : `${status}: ${errorMessage}`,
  ];
}

function since(start: string | undefined, end: string | undefined): string {
  const seconds = secondsBetween(start, end);
  if (seconds === undefined) return '-';
  // Negative if the clock of the other machine is behind.
  return `${seconds < 0 ? '' : '+'}${seconds.toFixed(2)} s`;
}

function secondsBetween(start: string | undefined, end: string | undefined): number | undefined {
  return start === undefined || end === undefined ? undefined : (Date.parse(end) - Date.parse(start)) / 1000;
}
