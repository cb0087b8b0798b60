/** Exponential backoff with jitter, so that a fleet does not reconnect at once. */
export class Backoff {
  private failures = 0;

  constructor(
    private readonly initialMs: number,
    private readonly maxMs: number,
    private readonly random: () => number = Math.random,
  ) {}

  /** The delay after one more failure. */
  next(): number {
    const ceiling = Math.min(this.maxMs, this.initialMs * 2 ** this.failures);
    // Avoids an infinite power.
    this.failures = Math.min(this.failures + 1, 30);
    return this.jittered(ceiling);
  }

  /** The longest delay, for errors that a retry is unlikely to solve. */
  max(): number {
    return this.jittered(this.maxMs);
  }

  reset(): void {
    this.failures = 0;
  }

  private jittered(milliseconds: number): number {
    return milliseconds * (0.5 + this.random() / 2);
  }
}
