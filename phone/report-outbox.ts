import { Backoff } from './backoff';
import { RequestError } from './json-client';
import { Timers } from './timers';

/** Accepted by the service, rejected permanently, or abandoned because the phone was stopped. */
export type ReportResult = 'taken' | 'refused' | 'abandoned';

export interface ReportOutboxOptions {
  /** Concurrent reports. Default 4. */
  readonly concurrency?: number;
  readonly initialBackoffMs?: number;
  readonly maxBackoffMs?: number;
  readonly random?: () => number;
  readonly onFailure?: (message: string) => void;
}

interface Report {
  readonly lane: string;
  readonly make: (attempt: number) => Promise<void>;
  readonly ended: (end: ReportResult) => void;
  attempts: number;
}

/**
 * Sends reports until a 2xx response or a permanent error. The reports of one lane (a message) keep their order;
 * lanes take turns.
 */
export class ReportOutbox {
  private readonly timers = new Timers();
  private readonly backoff: Backoff;
  private readonly concurrency: number;
  private readonly lanes = new Map<string, Report[]>();
  /** Lanes with a waiting report and none in flight. */
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

  holds(lane: string): boolean {
    return this.lanes.has(lane);
  }

  /** Queues a report. Never rejects. @param make is called with the number of the attempt, from 1. */
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

  /** Requests in flight continue. */
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
   * A failure delays the whole outbox, because usually the service is unavailable. The failed lane goes to the end,
   * so that a report that always fails does not block the others.
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
