export interface PhoneCounts {
  /** Messages that the service pushed, including known ones. */
  offered: number;
  /** Pushed messages that the phone already knew. */
  repeated: number;
  acknowledged: number;
  cancelled: number;
  /** Messages that Android got, including those it refused. */
  onAir: number;
  partsOnAir: number;
  /** Accepted reports by status. */
  sent: number;
  delivered: number;
  failed: number;
  /** Reports and uploads that failed permanently. */
  refused: number;
  /** Accepted uploads. */
  received: number;
  heartbeats: number;
  streamsOpened: number;
}

interface Waiter {
  readonly met: () => boolean;
  readonly done: () => void;
}

/** The counters of a phone, and a way to wait for them. */
export class PhoneCounters {
  readonly counts: PhoneCounts = {
    offered: 0,
    repeated: 0,
    acknowledged: 0,
    cancelled: 0,
    onAir: 0,
    partsOnAir: 0,
    sent: 0,
    delivered: 0,
    failed: 0,
    refused: 0,
    received: 0,
    heartbeats: 0,
    streamsOpened: 0,
  };
  private readonly waiters = new Set<Waiter>();

  add(name: keyof PhoneCounts, count = 1): void {
    this.counts[name] += count;
    this.check();
  }

  /** Checks the conditions of waiters that do not depend on a counter. */
  check(): void {
    for (const waiter of this.waiters) if (waiter.met()) waiter.done();
  }

  /** @throws Error with all counters after the timeout. */
  async until(condition: string, met: () => boolean, timeoutMs: number): Promise<void> {
    if (met()) return;
    const isMet = await new Promise<boolean>((resolve) => {
      const end = (result: boolean): void => {
        clearTimeout(timer);
        this.waiters.delete(waiter);
        resolve(result);
      };
      const waiter = {
        met,
        done: () => {
          end(true);
        },
      };
      const timer = setTimeout(() => {
        end(false);
      }, timeoutMs);
      this.waiters.add(waiter);
    });
    if (!isMet)
      throw new Error(`waited ${timeoutMs} ms for ${condition}; counted ${JSON.stringify(this.counts)}`);
  }
}
