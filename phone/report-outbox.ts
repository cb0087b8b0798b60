import { Backoff } from './backoff';
import { CallFailed } from './json-client';
import { Timers } from './timers';

/** How a report ended: taken by the service, refused by it for good, or given up because the phone was stopped. */
export type ReportEnd = 'taken' | 'refused' | 'abandoned';

export interface ReportOutboxOptions {
  /** Reports under way at once. Default 4. */
  readonly concurrency?: number;
  readonly firstBackoffMs?: number;
  readonly mostBackoffMs?: number;
  readonly random?: () => number;
  /** Told of each failure, so that a watcher knows why nothing moves. */
  readonly onTrouble?: (message: string) => void;
}

interface Report {
  readonly lane: string;
  readonly make: (attempt: number) => Promise<void>;
  readonly ended: (end: ReportEnd) => void;
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
  private underWay = 0;
  private held = false;
  private paused = false;
  private stopped = false;

  constructor(private readonly options: ReportOutboxOptions = {}) {
    this.concurrency = options.concurrency ?? 4;
    this.backoff = new Backoff(
      options.firstBackoffMs ?? 250,
      options.mostBackoffMs ?? 15_000,
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
  put(lane: string, make: (attempt: number) => Promise<void>): Promise<ReportEnd> {
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
      this.makeNext();
    });
  }

  /** Makes no further report until `resume`; what is under way goes on. */
  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
    this.makeNext();
  }

  stop(): void {
    this.stopped = true;
    this.timers.clear();
    for (const report of [...this.lanes.values()].flat()) report.ended('abandoned');
    this.lanes.clear();
    this.ready = [];
  }

  private makeNext(): void {
    while (!this.stopped && !this.paused && !this.held && this.underWay < this.concurrency) {
      const lane = this.ready.shift();
      if (lane === undefined) return;
      const report = this.lanes.get(lane)?.[0];
      if (report !== undefined) void this.attempt(report);
    }
  }

  private async attempt(report: Report): Promise<void> {
    this.underWay += 1;
    report.attempts += 1;
    try {
      await report.make(report.attempts);
      this.backoff.reset();
      this.finish(report, 'taken');
    } catch (error) {
      if (this.stopped) return;
      this.options.onTrouble?.(error instanceof Error ? error.message : String(error));
      if (error instanceof CallFailed && error.final) this.finish(report, 'refused');
      else this.putBack(report, error instanceof CallFailed ? error.retryAfterMs : undefined);
    } finally {
      this.underWay -= 1;
      this.makeNext();
    }
  }

  private finish(report: Report, end: ReportEnd): void {
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
  private putBack(report: Report, retryAfterMs = 0): void {
    if (this.stopped) return;
    this.ready.push(report.lane);
    if (this.held) return;
    this.held = true;
    this.timers.after(Math.max(this.backoff.next(), retryAfterMs), () => {
      this.held = false;
      this.makeNext();
    });
  }
}
