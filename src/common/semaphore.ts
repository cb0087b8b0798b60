/**
 * Limits how many tasks run at the same time, first in, first out. Yields to the event loop after each task, so that a
 * long queue of tasks does not block other requests.
 */
export class Semaphore {
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  constructor(private readonly maxRunning: number) {}

  async run<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.running >= this.maxRunning) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.running += 1;
    try {
      return await task();
    } finally {
      setImmediate(() => {
        this.release();
      });
    }
  }

  private release(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.running -= 1;
  }
}
