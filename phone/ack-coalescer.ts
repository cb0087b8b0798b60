import { Backoff } from './backoff';
import { RequestError } from './json-client';
import { Timers } from './timers';

export interface AckCoalescerOptions {
  /** Default 50. */
  readonly maxDelayMs?: number;
  /** Default 100. */
  readonly maxGroupSize?: number;
  readonly initialBackoffMs?: number;
  readonly random?: () => number;
}

export interface AckCoalescerListener {
  acknowledged(smsIds: readonly string[]): void;
  failure(message: string): void;
  /** A request has succeeded or failed. */
  changed(): void;
}

/** Sends acknowledgements in batches, and repeats failed ones. */
export class AckCoalescer {
  private readonly timers = new Timers();
  private readonly backoff: Backoff;
  private readonly maxDelayMs: number;
  private readonly maxGroupSize: number;
  private readonly waiting = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private sending = false;
  private paused = false;
  private stopped = false;

  constructor(
    private readonly send: (smsIds: readonly string[]) => Promise<void>,
    private readonly listener: AckCoalescerListener,
    options: AckCoalescerOptions = {},
  ) {
    this.maxDelayMs = options.maxDelayMs ?? 50;
    this.maxGroupSize = options.maxGroupSize ?? 100;
    this.backoff = new Backoff(options.initialBackoffMs ?? 250, 15_000, options.random);
  }

  get isEmpty(): boolean {
    return this.waiting.size === 0 && !this.sending;
  }

  add(smsId: string): void {
    this.waiting.add(smsId);
    this.arm(this.maxDelayMs);
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
    this.arm(0);
  }

  stop(): void {
    this.stopped = true;
    this.timers.clear();
    this.waiting.clear();
  }

  private arm(wait: number): void {
    if (this.stopped || this.sending || this.timer !== undefined) return;
    this.timer = this.timers.after(wait, () => {
      this.timer = undefined;
      void this.flush();
    });
  }

  private async flush(): Promise<void> {
    if (this.paused || this.waiting.size === 0) return;
    const smsIds = [...this.waiting].slice(0, this.maxGroupSize);
    for (const smsId of smsIds) this.waiting.delete(smsId);
    this.sending = true;
    let wait = 0;
    try {
      await this.send(smsIds);
      this.backoff.reset();
    } catch (error) {
      if (!this.stopped) this.listener.failure(error instanceof Error ? error.message : String(error));
      // The service pushes the messages again if it still needs them.
      if (!(error instanceof RequestError && error.isPermanent)) {
        for (const smsId of smsIds) this.waiting.add(smsId);
        wait = this.backoff.next();
      }
      smsIds.length = 0;
    } finally {
      this.sending = false;
    }
    if (this.stopped) return;
    if (smsIds.length > 0) this.listener.acknowledged(smsIds);
    if (this.waiting.size > 0) this.arm(wait);
    this.listener.changed();
  }
}
