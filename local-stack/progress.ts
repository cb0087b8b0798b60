/** Shows what a command-line tool is doing: one line a step, with its seconds. */

const TICK_MS = 200;

/** Where the lines go, and whether a line there can be rewritten. */
export interface Screen {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

function seconds(since: number): string {
  const passed = (performance.now() - since) / 1000;
  return passed < 10 ? `${passed.toFixed(1)} s` : `${Math.round(passed)} s`;
}

/** Prints steps under a subject, such as `Redis     starting redis-server: 0.3 s`. */
export class Progress {
  private readonly label: string;

  constructor(
    subject: string,
    private readonly screen: Screen = process.stderr,
  ) {
    this.label = subject.padEnd(10);
  }

  /** One line about something that took no time. */
  log(text: string): void {
    this.screen.write(`${this.label}${text}\n`);
  }

  /**
   * Runs a step. On a terminal its line counts the seconds while it works; elsewhere a line tells its start and one its
   * end, so that a log of a long step shows that it lives.
   */
  async step<T>(text: string, work: () => Promise<T>): Promise<T> {
    const start = performance.now();
    const rewrites = this.screen.isTTY === true;
    const show = (end: string): void => {
      this.screen.write(`${rewrites ? '\r\u001b[K' : ''}${this.label}${text}${end}`);
    };
    if (!rewrites) show(' …\n');
    const tick = rewrites
      ? setInterval(() => {
          show(`: ${seconds(start)}`);
        }, TICK_MS)
      : undefined;
    try {
      const result = await work();
      show(`: ${seconds(start)}\n`);
      return result;
    } catch (error) {
      show(`: failed after ${seconds(start)}\n`);
      throw error;
    } finally {
      clearInterval(tick);
    }
  }
}
