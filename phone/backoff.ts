/** Exponential backoff. The jitter keeps a fleet that lost its server at one moment from coming back at one moment. */
export class Backoff {
  private failures = 0;

  constructor(
    private readonly initialMs: number,
    private readonly maxMs: number,
    private readonly random: () => number = Math.random,
  ) {}

  /** How long to wait after one more failure: between half and all of a ceiling that doubles each time. */
  next(): number {
    const ceiling = Math.min(this.maxMs, this.initialMs * 2 ** this.failures);
    // Past this the ceiling no longer moves; counting on would end in an infinite power.
    this.failures = Math.min(this.failures + 1, 30);
    return this.jittered(ceiling);
  }

  /** The max pace, for a refusal that patience is unlikely to mend. */
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
