import type { ProgressLog } from './progress-log';

/** Cleanup tasks, which run in reverse order. */
export class CleanupStack {
  private readonly tasks: (() => Promise<void> | void)[] = [];

  constructor(private readonly progress: ProgressLog) {}

  defer(task: () => Promise<void> | void): void {
    this.tasks.push(task);
  }

  /** Runs all tasks and logs those that fail. */
  async runAll(): Promise<void> {
    for (const task of this.tasks.splice(0).reverse()) {
      try {
        await task();
      } catch (failure) {
        this.progress.log(`Cleanup failed: ${String(failure)}`);
      }
    }
  }
}
