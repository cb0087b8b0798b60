import { Clock } from '../../src/common/clock';

/** The system time, which a test can advance and stop. */
export class TestClock extends Clock {
  private readonly listeners = new Set<(ms: number) => void>();
  private aheadMs = 0;
  private stoppedAt?: number;

  now(): Date {
    return new Date((this.stoppedAt ?? Date.now()) + this.aheadMs);
  }

  advance(ms: number): void {
    this.aheadMs += ms;
    for (const listener of this.listeners) listener(ms);
  }

  /** The same without what becomes due meanwhile: nothing happens. */
  skip(ms: number): void {
    this.aheadMs += ms;
  }

  /** @returns removes the listener. */
  onAdvance(listener: (ms: number) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Stops the clock; only `advance` moves it. */
  stop(): void {
    this.stoppedAt = Date.now();
  }

  resume(): void {
    this.stoppedAt = undefined;
  }
}
