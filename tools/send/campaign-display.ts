import type { WriteStream } from 'node:tty';

const BAR_CELLS = 40;
const PLAIN_LINE_EVERY_MS = 2_000;

/** Shows the progress: a bar on a terminal, otherwise a line from time to time. */
export class CampaignDisplay {
  private lastLineAt = 0;
  private lastNote = '';

  constructor(
    private readonly stream: WriteStream,
    private readonly total: number,
  ) {}

  show(queued: number, note = ''): void {
    const line = `${queued} of ${this.total} messages queued${note === '' ? '' : `, ${note}`}`;
    if (this.stream.isTTY) {
      const filled = Math.floor((queued / this.total) * BAR_CELLS);
      const bar = '█'.repeat(filled) + '░'.repeat(BAR_CELLS - filled);
      // A wrapped line cannot be redrawn.
      this.stream.write(`\r\u001b[2K${`${bar} ${line}`.slice(0, this.stream.columns - 1)}`);
    } else if (note !== this.lastNote || Date.now() - this.lastLineAt >= PLAIN_LINE_EVERY_MS) {
      this.lastLineAt = Date.now();
      this.stream.write(`${line}\n`);
    }
    this.lastNote = note;
  }

  finish(): void {
    if (this.stream.isTTY) this.stream.write('\n');
  }
}
