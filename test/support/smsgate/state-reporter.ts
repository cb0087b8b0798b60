import type { AppStorage, QueuedReport, StoredSms } from './app-storage';
import { type AppTime, retryDelay } from './app-time';
import { formatDate } from './gson';

const MAX_RETRIES = 10;

/** Faults of the network between the app and the service, as probabilities for each attempt to report. */
export interface ReportFaults {
  /** The report is lost and not repeated, as if the app had given up. */
  readonly dropStateReports: number;
  /** The report does not arrive, and is repeated. */
  readonly failStateReports: number;
  /** The report arrives but its answer does not, so that it is repeated. */
  readonly loseReportAnswers: number;
  /** The longest time in milliseconds that a report is on its way, so that reports overtake each other. */
  readonly reportDelay: number;
}

export const NO_REPORT_FAULTS: ReportFaults = {
  dropStateReports: 0,
  failStateReports: 0,
  loseReportAnswers: 0,
  reportDelay: 0,
};

/** Reports the state of each SMS, every report by itself, and repeats what was not accepted. */
export class StateReporter {
  constructor(
    private readonly storage: AppStorage,
    private readonly time: AppTime,
    private readonly utcOffsetMinutes: number,
    private readonly faults: ReportFaults,
    private readonly random: () => number,
    private readonly stopped: AbortSignal,
    private readonly patch: (body: object[]) => Promise<unknown>,
    private readonly onError: (error: string) => void,
  ) {}

  /** Starts a report of the SMS; its state is read when the report leaves. */
  report({ id }: StoredSms): void {
    const report = { id, retries: 0 };
    this.storage.reports.add(report);
    void this.deliver(report);
  }

  /** Continues the reports that were not accepted before a restart. */
  resume(): void {
    for (const report of this.storage.reports) void this.deliver(report);
  }

  private async deliver(report: QueuedReport): Promise<void> {
    const { sms, reports } = this.storage;
    do {
      try {
        const stored = sms.get(report.id);
        if (stored) await this.attempt(this.bodyOf(stored));
        reports.delete(report);
        return;
      } catch (error) {
        if (this.stopped.aborted) return;
        this.onError(`report of ${report.id}: ${String(error)}`);
      }
      report.retries += 1;
      if (report.retries > MAX_RETRIES) {
        reports.delete(report);
        return;
      }
    } while (await this.time.wait(retryDelay(report.retries - 1), this.stopped));
  }

  private async attempt(body: object): Promise<void> {
    const { dropStateReports, failStateReports, loseReportAnswers, reportDelay } = this.faults;
    if (this.random() < dropStateReports) return;
    if (this.random() < failStateReports) throw new Error('the network lost it');
    await this.time.wait(this.random() * reportDelay, this.stopped);
    await this.patch([body]);
    if (this.random() < loseReportAnswers) throw new Error('the network lost the answer');
  }

  private bodyOf({ id, state, states, error, phoneNumbers }: StoredSms): object {
    return {
      id,
      state,
      recipients: phoneNumbers.map((phoneNumber) => ({ phoneNumber, state, error })),
      states: Object.fromEntries(
        Object.entries(states).map(([each, time]) => [each, formatDate(time, this.utcOffsetMinutes)]),
      ),
    };
  }
}
