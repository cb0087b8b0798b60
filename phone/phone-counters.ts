/** What a phone counts, since it was made. */
export interface PhoneCounts {
  /** Messages the service offered, offers of known ones included. */
  offered: number;
  /** Offers of messages the phone already knew. */
  repeated: number;
  acknowledged: number;
  /** Messages taken back because the service asked for it. */
  cancelled: number;
  onAir: number;
  /** SENT, DELIVERED and FAILED reports the service took. */
  sent: number;
  delivered: number;
  failed: number;
  /** Reports and uploads the service refused for good. */
  refused: number;
  /** Incoming messages the service took. */
  received: number;
  heartbeats: number;
  streamsOpened: number;
}

interface Waiter {
  readonly met: () => boolean;
  readonly done: () => void;
}

/** The counts of one phone, and a way to wait for them. */
export class PhoneCounters {
  readonly counts: PhoneCounts = {
    offered: 0,
    repeated: 0,
    acknowledged: 0,
    cancelled: 0,
    onAir: 0,
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

  /** Looks again whether what is waited for has come; for conditions that are not counts. */
  check(): void {
    for (const waiter of this.waiters) if (waiter.met()) waiter.done();
  }

  /** Resolves as soon as `met` holds. @throws Error naming `what` and the counts once the time is up. */
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
