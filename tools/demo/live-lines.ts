import type { WriteStream } from 'node:tty';

const PLAIN_EVERY_MS = 2_000;
const ALL_PLAIN_EVERY_MS = 10_000;
/** Of a terminal that does not tell its size. */
const DEFAULT_ROWS = 24;
const DEFAULT_COLUMNS = 80;

/** Redraws lines on a terminal; otherwise prints them from time to time, and more often the last one. */
export class LiveLines {
  private drawn = 0;
  private lastLine = '';
  private lastAt = 0;
  private allAt = 0;

  constructor(private readonly stream: Pick<WriteStream, 'isTTY' | 'rows' | 'columns' | 'write'>) {}

  /** @param lines the last one is the summary. @param now epoch milliseconds. */
  show(lines: readonly string[], now: number): void {
    if (this.stream.isTTY) this.redraw(lines);
    else if (now - this.lastAt >= PLAIN_EVERY_MS) this.print(lines, now);
  }

  /** Prints a line that stays, above the others. */
  note(line: string): void {
    this.stream.write(this.stream.isTTY ? `${this.erase()}${line}\n` : `${line}\n`);
    this.drawn = 0;
  }

  /** Leaves all lines on the output. */
  finish(lines: readonly string[]): void {
    if (this.stream.isTTY) this.redraw(lines);
    else this.stream.write(`${lines.join('\n')}\n`);
  }

  private print(lines: readonly string[], now: number): void {
    const line = lines.at(-1) ?? '';
    if (line === this.lastLine) return;
    this.lastLine = line;
    this.lastAt = now;
    const isAllDue = now - this.allAt >= ALL_PLAIN_EVERY_MS;
    if (isAllDue) this.allAt = now;
    this.stream.write(isAllDue ? `${lines.join('\n')}\n` : `${line}\n`);
  }

  private redraw(lines: readonly string[]): void {
    // Wrapped lines and lines above the screen cannot be redrawn.
    const { rows, columns } = this.stream;
    const fitting = lines
      .slice(1 - (rows || DEFAULT_ROWS))
      .map((line) => line.slice(0, (columns || DEFAULT_COLUMNS) - 1));
    this.stream.write(`${this.erase()}${fitting.join('\n')}\n`);
    this.drawn = fitting.length;
  }

  private erase(): string {
    const up = this.drawn > 0 ? `\u001b[${this.drawn}A` : '';
    return `${up}\r\u001b[J`;
  }
}
