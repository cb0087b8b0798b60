import { Clock } from '../../src/common/clock';

/** The system's time, which a test can move forward. */
export class TestClock extends Clock {
  private aheadMs = 0;

  now(): Date {
    return new Date(Date.now() + this.aheadMs);
  }

  advance(ms: number): void {
    this.aheadMs += ms;
  }
}
