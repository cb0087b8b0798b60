import { setTimeout as sleep } from 'node:timers/promises';

/** A send that starts so long after its time is late: the machine that measures does not keep up. */
const LATE_MS = 50;

export interface Pace {
  readonly rate: number;
  readonly seconds: number;
}

/** Starts work at a steady rate, which does not wait for the work that was started before. */
export class OpenLoop {
  started = 0;
  late = 0;
  private isStopping = false;

  /** @param begin is given the number of the work and, in `performance.now()` time, when it was due. */
  constructor(
    private readonly pace: Pace,
    private readonly begin: (number: number, dueAt: number) => void,
  ) {}

  get due(): number {
    return this.pace.rate * this.pace.seconds;
  }

  /** Resolves when the last has been started. */
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
      this.begin(this.started, dueAt);
      this.started += 1;
    }
  }

  stop(): void {
    this.isStopping = true;
  }
}
