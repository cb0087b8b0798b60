/** The duration of a rest, in multiples of the task's. */
const REST_FACTOR = 4;

/**
 * Runs tasks one at a time, first in, first out. If others wait when a task ends, it rests for four times the task's
 * duration, so that callers who compete take at most a fifth of the event loop's and of the database's time from other
 * requests. A caller without competition is not slowed down.
 */
export class TaskThrottle {
  private readonly waiting: (() => void)[] = [];
  private isBusy = false;

  async run<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.isBusy) await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.isBusy = true;
    const startedAt = performance.now();
    try {
      return await task();
    } finally {
      const isContended = this.waiting.length > 0;
      const restMs = REST_FACTOR * (performance.now() - startedAt);
      const next = () => {
        this.startNext();
      };
      if (isContended) setTimeout(next, restMs);
      // Even then other requests come first.
      else setImmediate(next);
    }
  }

  private startNext(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.isBusy = false;
  }
}
