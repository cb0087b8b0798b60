import type { WriteStream } from 'node:tty';

const PLAIN_EVERY_MS = 2_000;

/** Redraws lines on a terminal; otherwise prints the last one from time to time. */
export class LiveLines {
  private drawn = 0;
  private lastLine = '';
  private lastAt = 0;

  constructor(private readonly stream: Pick<WriteStream, 'isTTY' | 'rows' | 'columns' | 'write'>) {}

  /** @param lines the last one is the summary. @param now epoch milliseconds. */
  show(lines: readonly string[], now: number): void {
    if (this.stream.isTTY) this.redraw(lines);
    else if (now - this.lastAt >= PLAIN_EVERY_MS) this.print(lines, now);
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
    this.stream.write(`${line}\n`);
  }

  private redraw(lines: readonly string[]): void {
    // Wrapped lines and lines above the screen cannot be redrawn.
    const fitting = lines
      .slice(-(this.stream.rows - 1))
      .map((line) => line.slice(0, this.stream.columns - 1));
    const up = this.drawn > 0 ? `\u001b[${this.drawn}A` : '';
    this.stream.write(`${up}\r\u001b[J${fitting.join('\n')}\n`);
    this.drawn = fitting.length;
  }
}
