import type { ProgressLog } from '../chaos/progress-log';
import type { Meter, SecondSample } from './meter';

/** Takes and prints a sample each second, and tracks the event backlog. */
export class ProgressReporter {
  maxBacklog = 0;
  /** Seconds from the recovery of the receiver until its backlog was cleared. */
  backlogClearedAfter: number | undefined;
  private recoveredAt: number | undefined;
  private timer: NodeJS.Timeout | undefined;

  /** @param normalBacklog the backlog in normal operation. */
  constructor(
    private readonly meter: Meter,
    private readonly normalBacklog: number,
    private readonly progress: ProgressLog,
  ) {}

  start(): void {
    this.timer = setInterval(() => {
      const sample = this.meter.sample();
      this.maxBacklog = Math.max(this.maxBacklog, sample.backlog);
      if (this.recoveredAt !== undefined && sample.backlog <= this.normalBacklog) {
        this.backlogClearedAfter ??= (Date.now() - this.recoveredAt) / 1_000;
      }
      this.progress.log(formatProgress(sample));
    }, 1_000);
  }

  receiverRecovered(): void {
    this.recoveredAt = Date.now();
  }

  stop(): void {
    clearInterval(this.timer);
  }
}

function formatProgress(second: SecondSample): string {
  const ms = (value: number) => (Number.isNaN(value) ? '-' : String(Math.round(value)));
  const resident = Object.entries(second.resident).map(
    ([name, megabytes]) => `${name} ${Math.round(megabytes)}`,
  );
  return (
    `${second.answered} answered, ${second.errors} errors, ${second.open} open, ` +
    `p50 ${ms(second.responseP50)} ms, p99 ${ms(second.responseP99)} ms, to phone p99 ${ms(second.sendToPhoneP99)} ms, ` +
    `${second.events} events, ${second.backlog} backlog, MB: ${resident.join(', ')}`
  );
}
