/** Runs at most `maxRunning` tasks at the same time; the others wait, first in, first out. */
export class TaskLimiter {
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  constructor(private readonly maxRunning: number) {}

  async run<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.running < this.maxRunning) this.running += 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.waiting.shift();
      // The next task takes over the place of this one.
      if (next) next();
      else this.running -= 1;
    }
  }
}
