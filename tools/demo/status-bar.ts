import type { WriteStream } from 'node:tty';
import { STATUSES, type DemoMessage, type MessageStatus } from './gateway-api';

export type StatusCounts = Readonly<Record<MessageStatus, number>>;

const BAR_CELLS = 40;
const PLAIN_LINE_EVERY_MS = 2_000;

/** In the order of the bar. The characters distinguish the statuses without colours. */
const STYLES: readonly { readonly status: MessageStatus; readonly ansi: number; readonly cell: string }[] = [
  { status: 'delivered', ansi: 32, cell: '█' },
  { status: 'sent', ansi: 36, cell: '▓' },
  { status: 'dispatched', ansi: 33, cell: '▒' },
  { status: 'pending', ansi: 90, cell: '░' },
  { status: 'unknown', ansi: 35, cell: '?' },
  { status: 'failed', ansi: 31, cell: 'x' },
];

export function countStatuses(messages: readonly DemoMessage[]): StatusCounts {
  const counts = { pending: 0, dispatched: 0, sent: 0, delivered: 0, failed: 0, unknown: 0 };
  for (const { status } of messages) {
    counts[STATUSES.find((known) => known === status) ?? 'unknown'] += 1;
  }
  return counts;
}

export function statusLine(counts: StatusCounts): string {
  return STATUSES.filter((status) => counts[status] > 0)
    .map((status) => `${counts[status]} ${status}`)
    .join(', ');
}

export function statusBar(counts: StatusCounts, coloured: boolean): string {
  const total = STYLES.reduce((sum, { status }) => sum + counts[status], 0);
  let counted = 0;
  let drawn = 0;
  const segmentes = STYLES.map(({ status, ansi, cell }) => {
    counted += counts[status];
    // Rounding the running total keeps the length of the bar.
    const end = total === 0 ? 0 : Math.round((counted / total) * BAR_CELLS);
    const segment = cell.repeat(end - drawn);
    drawn = end;
    return coloured && segment !== '' ? `\u001b[${ansi}m${segment}\u001b[0m` : segment;
  });
  return segmentes.join('');
}

/** Shows the progress: a bar on a terminal, otherwise a line from time to time. */
export class StatusDisplay {
  private lastLine = '';
  private lastLineAt = 0;

  constructor(private readonly stream: WriteStream) {}

  show(counts: StatusCounts, now: number): void {
    if (this.stream.isTTY) {
      const coloured = process.env.NO_COLOR === undefined;
      this.stream.write(`\r\u001b[2K${statusBar(counts, coloured)} ${statusLine(counts)}`);
    } else if (now - this.lastLineAt >= PLAIN_LINE_EVERY_MS) {
      this.writeLine(counts, now);
    }
  }

  finish(counts: StatusCounts, now: number): void {
    if (this.stream.isTTY) {
      this.show(counts, now);
      this.stream.write('\n');
    } else {
      this.writeLine(counts, now);
    }
  }

  private writeLine(counts: StatusCounts, now: number): void {
    const line = statusLine(counts);
    if (line === this.lastLine) return;
    this.lastLine = line;
    this.lastLineAt = now;
    this.stream.write(`${statusBar(counts, false)} ${line}\n`);
  }
}
