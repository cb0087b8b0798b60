import { Backoff } from './backoff';
import { CallFailed } from './json-client';
import { Timers } from './timers';

export interface AckGathererOptions {
  /** How long the first id waits for company. Default 50 ms. */
  readonly gatherMs?: number;
  /** Ids in one request. Default 100. */
  readonly most?: number;
  readonly firstBackoffMs?: number;
  readonly random?: () => number;
}

export interface AckGathererListener {
  acknowledged(smsIds: readonly string[]): void;
  trouble(message: string): void;
  /** A request ended, well or not. */
  moved(): void;
}

/** Gathers acknowledgements into few requests, and repeats those the service did not take. */
export class AckGatherer {
  private readonly timers = new Timers();
  private readonly backoff: Backoff;
  private readonly gatherMs: number;
  private readonly most: number;
  private readonly waiting = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private sending = false;
  private paused = false;
  private stopped = false;

  constructor(
    private readonly send: (smsIds: readonly string[]) => Promise<void>,
    private readonly listener: AckGathererListener,
    options: AckGathererOptions = {},
  ) {
    this.gatherMs = options.gatherMs ?? 50;
    this.most = options.most ?? 100;
    this.backoff = new Backoff(options.firstBackoffMs ?? 250, 15_000, options.random);
  }

  get isEmpty(): boolean {
    return this.waiting.size === 0 && !this.sending;
  }

  add(smsId: string): void {
    this.waiting.add(smsId);
    this.arm(this.gatherMs);
  }

  /** Acknowledges nothing until `resume`: the phone seems to hear, and not to answer. */
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
    const smsIds = [...this.waiting].slice(0, this.most);
    for (const smsId of smsIds) this.waiting.delete(smsId);
    this.sending = true;
    let wait = 0;
    try {
      await this.send(smsIds);
      this.backoff.reset();
    } catch (error) {
      if (!this.stopped) this.listener.trouble(error instanceof Error ? error.message : String(error));
      // A refusal for good is left at that: the service offers the messages again if it still wants to know.
      if (!(error instanceof CallFailed && error.final)) {
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
    this.listener.moved();
  }
}
