const TICK_MS = 200;

export interface Screen {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

function seconds(since: number): string {
  const passed = (performance.now() - since) / 1000;
  return passed < 10 ? `${passed.toFixed(1)} s` : `${Math.round(passed)} s`;
}

/** Prints the steps of a command, such as `Redis     starting redis-server: 0.3 s`. */
export class Progress {
  private readonly label: string;

  constructor(
    subject: string,
    private readonly screen: Screen = process.stderr,
  ) {
    this.label = subject.padEnd(10);
  }

  log(text: string): void {
    this.screen.write(`${this.label}${text}\n`);
  }

  /** Runs a step and prints its duration: on a terminal continuously, otherwise at the start and the end. */
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
