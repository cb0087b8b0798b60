import { setTimeout as sleep } from 'node:timers/promises';

/** A send that starts later than this shows that the test itself is too slow. */
const LATE_MS = 50;

export interface LoadRate {
  readonly rate: number;
  readonly seconds: number;
}

/** Starts work at a steady rate without waiting for earlier work. */
export class OpenLoop {
  started = 0;
  late = 0;
  private isStopping = false;

  /** @param startOne receives the number of the work and its scheduled time (`performance.now()`). */
  constructor(
    private readonly pace: LoadRate,
    private readonly startOne: (number: number, dueAt: number) => void,
  ) {}

  get due(): number {
    return this.pace.rate * this.pace.seconds;
  }

  /** Resolves when the last work has been started. */
  async run(): Promise<void> {
    const start = performance.now();
    while (this.started < this.due && !this.isStopping) {
      const dueAt = start + (this.started * 1_000) / this.pace.rate;
      const wait = dueAt - performance.now();
      if (wait > 0) {
        await sleep(Math.ceil(wait));
        continue;
      }
      if (-wait > LATE_MS) this.late += 1;
      this.startOne(this.started, dueAt);
      this.started += 1;
    }
  }

  stop(): void {
    this.isStopping = true;
  }
}
