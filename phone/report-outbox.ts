import { Backoff } from './backoff';
import { RequestError } from './json-client';
import { Timers } from './timers';

/** How a report ended: taken by the service, refused by it for good, or given up because the phone was stopped. */
export type ReportResult = 'taken' | 'refused' | 'abandoned';

export interface ReportOutboxOptions {
  /** Reports under way at once. Default 4. */
  readonly concurrency?: number;
  readonly initialBackoffMs?: number;
  readonly maxBackoffMs?: number;
  readonly random?: () => number;
  /** Told of each failure, so that a watcher knows why nothing moves. */
  readonly onFailure?: (message: string) => void;
}

interface Report {
  readonly lane: string;
  readonly make: (attempt: number) => Promise<void>;
  readonly ended: (end: ReportResult) => void;
  attempts: number;
}

/**
 * Reports on their way to the service. Each is repeated until a 2xx or a definitive refusal. Reports of one lane (one
 * message) go one after the other, in the order given; the lanes take turns.
 */
export class ReportOutbox {
  private readonly timers = new Timers();
  private readonly backoff: Backoff;
  private readonly concurrency: number;
  private readonly lanes = new Map<string, Report[]>();
  /** Lanes with a report to make and none under way. */
  private ready: string[] = [];
  private inFlight = 0;
  private held = false;
  private paused = false;
  private stopped = false;

  constructor(private readonly options: ReportOutboxOptions = {}) {
    this.concurrency = options.concurrency ?? 4;
    this.backoff = new Backoff(
      options.initialBackoffMs ?? 250,
      options.maxBackoffMs ?? 15_000,
      options.random,
    );
  }

  get isEmpty(): boolean {
    return this.lanes.size === 0;
  }

  /** True while a report of this lane is waiting or under way. */
  holds(lane: string): boolean {
    return this.lanes.has(lane);
  }

  /** Queues a report; `make` is called with the number of the attempt, from 1. Resolves when it has ended, never rejects. */
  put(lane: string, make: (attempt: number) => Promise<void>): Promise<ReportResult> {
    if (this.stopped) return Promise.resolve('abandoned');
    return new Promise((ended) => {
      const report = { lane, make, ended, attempts: 0 };
      const queue = this.lanes.get(lane);
      if (queue === undefined) {
        this.lanes.set(lane, [report]);
        this.ready.push(lane);
      } else {
        queue.push(report);
      }
      this.startNext();
    });
  }

  /** Makes no further report until `resume`; what is under way goes on. */
  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
    this.startNext();
  }

  stop(): void {
    this.stopped = true;
    this.timers.clear();
    for (const report of [...this.lanes.values()].flat()) report.ended('abandoned');
    this.lanes.clear();
    this.ready = [];
  }

  private startNext(): void {
    while (!this.stopped && !this.paused && !this.held && this.inFlight < this.concurrency) {
      const lane = this.ready.shift();
      if (lane === undefined) return;
      const report = this.lanes.get(lane)?.[0];
      if (report !== undefined) void this.attempt(report);
    }
  }

  private async attempt(report: Report): Promise<void> {
    this.inFlight += 1;
    report.attempts += 1;
    try {
      await report.make(report.attempts);
      this.backoff.reset();
      this.finish(report, 'taken');
    } catch (error) {
      if (this.stopped) return;
      this.options.onFailure?.(error instanceof Error ? error.message : String(error));
      if (error instanceof RequestError && error.isPermanent) this.finish(report, 'refused');
      else this.requeue(report, error instanceof RequestError ? error.retryAfterMs : undefined);
    } finally {
      this.inFlight -= 1;
      this.startNext();
    }
  }

  private finish(report: Report, end: ReportResult): void {
    if (this.stopped) return;
    const queue = this.lanes.get(report.lane);
    queue?.shift();
    if (queue === undefined || queue.length === 0) this.lanes.delete(report.lane);
    else this.ready.push(report.lane);
    report.ended(end);
  }

  /**
   * A failure holds up the whole outbox, because nearly always the service is away, not the one report unwelcome; the
   * failed lane goes to the back, so that one report the service cannot digest does not starve the others.
   */
  private requeue(report: Report, retryAfterMs = 0): void {
    if (this.stopped) return;
    this.ready.push(report.lane);
    if (this.held) return;
    this.held = true;
    this.timers.after(Math.max(this.backoff.next(), retryAfterMs), () => {
      this.held = false;
      this.startNext();
    });
  }
}
