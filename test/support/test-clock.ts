import { Clock } from '../../src/common/clock';

/** The system's time, which a test can move forward, and stop. */
export class TestClock extends Clock {
  private aheadMs = 0;
  private stoppedAt?: number;

  now(): Date {
    return new Date((this.stoppedAt ?? Date.now()) + this.aheadMs);
  }

  advance(ms: number): void {
    this.aheadMs += ms;
  }

  /** From here on only the test moves it. */
  stop(): void {
    this.stoppedAt = Date.now();
  }

  resume(): void {
    this.stoppedAt = undefined;
  }
}
