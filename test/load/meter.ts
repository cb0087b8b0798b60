import type { ServiceProcess } from '../chaos/service-process';
import { percentile } from './statistics';
import { residentMegabytes } from './process-stats';

/** The figures of one second. Times are in milliseconds. */
export interface SecondSample {
  readonly answered: number;
  readonly errors: number;
  /** Sends without a response yet. */
  readonly open: number;
  readonly responseP50: number;
  readonly responseP99: number;
  readonly sendToPhoneP99: number;
  /** Events received since the start. */
  readonly events: number;
  /** Reported events that the receiver has not received. */
  readonly backlog: number;
  /** Resident memory by process, in MB. */
  readonly resident: Readonly<Record<string, number>>;
}

export interface EventCounts {
  readonly events: number;
  readonly backlog: number;
}

/** Counts sends and arrivals, and samples them each second. */
export class Meter {
  readonly seconds: SecondSample[] = [];
  readonly responseTimes: number[] = [];
  readonly sendToPhoneTimes: number[] = [];
  open = 0;
  private readonly dueAt = new Map<string, number>();
  private sampledResponses = 0;
  private sampledArrivals = 0;
  private errors = 0;

  constructor(
    private readonly processes: readonly ServiceProcess[],
    private readonly readEventCounts: () => EventCounts,
  ) {}

  sendStarted(recipient: string, dueAt: number): void {
    this.open += 1;
    this.dueAt.set(recipient, dueAt);
  }

  sendAnswered(dueAt: number): void {
    this.open -= 1;
    this.responseTimes.push(performance.now() - dueAt);
  }

  sendFailed(): void {
    this.open -= 1;
    this.errors += 1;
  }

  reachedPhone(recipient: string): void {
    const dueAt = this.dueAt.get(recipient);
    if (dueAt === undefined) return;
    this.dueAt.delete(recipient);
    this.sendToPhoneTimes.push(performance.now() - dueAt);
  }

  /** Takes a sample of the time since the last one. */
  sample(): SecondSample {
    const newResponses = this.responseTimes.slice(this.sampledResponses);
    const newArrivals = this.sendToPhoneTimes.slice(this.sampledArrivals);
    this.sampledResponses = this.responseTimes.length;
    this.sampledArrivals = this.sendToPhoneTimes.length;
    const second = {
      ...this.readEventCounts(),
      answered: newResponses.length,
      errors: this.errors,
      open: this.open,
      responseP50: percentile(newResponses, 0.5),
      responseP99: percentile(newResponses, 0.99),
      sendToPhoneP99: percentile(newArrivals, 0.99),
      resident: Object.fromEntries(
        this.processes.flatMap(({ name, pid }) =>
          pid === undefined ? [] : [[name, residentMegabytes(pid)]],
        ),
      ),
    };
    this.errors = 0;
    this.seconds.push(second);
    return second;
  }
}
