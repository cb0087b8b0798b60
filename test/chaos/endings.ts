import type { ChaosScreen } from './screen';

/** What a run has started, to be ended in the opposite order. */
export class Endings {
  private readonly ends: (() => Promise<void> | void)[] = [];

  constructor(private readonly screen: ChaosScreen) {}

  add(end: () => Promise<void> | void): void {
    this.ends.push(end);
  }

  /** Ends all there is. What cannot be ended is said, and the rest goes on. */
  async all(): Promise<void> {
    for (const end of this.ends.splice(0).reverse()) {
      try {
        await end();
      } catch (failure) {
        this.screen.say(`Could not be ended: ${String(failure)}`);
      }
    }
  }
}
