import { AckBatcher } from './ack-batcher';
import { Radio, type Fate, type RadioListener, type RadioOptions } from './radio';
import type { ReportResult, ReportOutbox } from './report-outbox';
import type { LedgerEntry, SentLedger } from './sent-ledger';
import { isLastStatus, latestStatus, statusReport, type ReportedStatus } from './status-report';
import type { SmsCommand, StatusReport } from './wire';

export interface SmsSenderParts {
  readonly ledger: SentLedger;
  readonly acks: AckBatcher;
  /** Confirms messages that were not sent and will not be. */
  readonly cancellations: AckBatcher;
  readonly outbox: ReportOutbox;
  readonly report: (report: StatusReport) => Promise<void>;
}

export interface SmsSenderListener {
  offered(command: SmsCommand, known: boolean): void;
  onAir(command: SmsCommand, fate: Fate, at: number): void;
  reported(entry: LedgerEntry, status: ReportedStatus, end: ReportResult): void;
}

/** Sends each message once and reports its outcome. */
export class SmsSender implements RadioListener {
  private readonly radio: Radio;
  private stopping = false;

  constructor(
    private readonly parts: SmsSenderParts,
    private readonly listener: SmsSenderListener,
    radioOptions: RadioOptions,
  ) {
    this.radio = new Radio(radioOptions, this);
  }

  get isIdle(): boolean {
    return this.radio.queued === 0 && this.radio.awaitingCarrier === 0;
  }

  /** Whether no outcome is pending. */
  get isQuiet(): boolean {
    return this.radio.awaitingCarrier === 0;
  }

  /** Accepts a pushed message. A known one is acknowledged and reported again, but not sent again. */
  take(command: SmsCommand): void {
    if (this.stopping) return;
    const known = this.parts.ledger.find(command.smsId);
    if (known?.cancelled) {
      this.parts.cancellations.add(command.smsId);
      return;
    }
    this.listener.offered(command, known !== undefined);
    // After the acknowledgement, the service relies on this phone.
    if (known === undefined) this.parts.ledger.accept(command, Date.now());
    this.parts.acks.add(command.smsId);
    if (known === undefined) this.radio.send(command);
    else this.repeatLatestReport(known);
  }

  /**
   * Cancels a message that is not on the air. It is recorded before the confirmation, because the service then
   * counts it as not sent.
   */
  cancel(smsId: string): void {
    if (this.stopping) return;
    const { ledger, acks, cancellations } = this.parts;
    const known = ledger.find(smsId);
    if (known?.fate !== undefined) {
      acks.add(smsId);
      this.repeatLatestReport(known);
      return;
    }
    this.radio.remove(smsId);
    if (!known?.cancelled) ledger.cancel(smsId, Date.now());
    cancellations.add(smsId);
  }

  /** Continues with the messages of an earlier run. */
  resumeUnfinished(): void {
    for (const entry of this.parts.ledger.unfinished()) {
      // The acknowledgement may be missing.
      if (entry.fate === undefined) this.resumeUnsent(entry);
      else this.resumeSent(entry, entry.fate);
    }
  }

  /** Outcomes of messages on the air are still reported. */
  stopSending(): void {
    this.stopping = true;
    this.radio.stopSending();
  }

  stop(): void {
    this.stopping = true;
    this.radio.stop();
  }

  onAir(command: SmsCommand, fate: Fate, at: number): void {
    // If the phone dies in between, the message is lost rather than sent twice.
    this.parts.ledger.change(command.smsId, { command: undefined, fate, sendAttemptedAt: at });
    this.listener.onAir(command, fate, at);
  }

  sent(smsId: string, at: number): void {
    this.report(this.parts.ledger.change(smsId, { sentAt: at }), 'SENT');
  }

  failed(smsId: string, at: number): void {
    this.report(this.parts.ledger.change(smsId, { failedAt: at }), 'FAILED');
  }

  delivered(smsId: string, at: number): void {
    this.report(this.parts.ledger.change(smsId, { deliveredAt: at }), 'DELIVERED');
  }

  private resumeUnsent(entry: LedgerEntry): void {
    if (entry.command === undefined) return;
    this.parts.acks.add(entry.smsId);
    this.radio.send(entry.command);
  }

  private resumeSent(entry: LedgerEntry, fate: Fate): void {
    const at = entry.sendAttemptedAt ?? entry.pushReceivedAt;
    if (fate === 'failed') {
      this.failed(entry.smsId, entry.failedAt ?? at);
      return;
    }
    this.sent(entry.smsId, entry.sentAt ?? at);
    if (fate !== 'delivered') return;
    if (entry.deliveredAt === undefined) this.radio.awaitDelivery(entry.smsId, at);
    else this.delivered(entry.smsId, entry.deliveredAt);
  }

  /** The service pushes a reported message again only if it did not receive the report. */
  private repeatLatestReport(entry: LedgerEntry): void {
    const status = latestStatus(entry);
    if (status !== undefined && !this.parts.outbox.holds(entry.smsId)) this.report(entry, status);
  }

  private report(entry: LedgerEntry | undefined, status: ReportedStatus): void {
    if (entry === undefined) return;
    void this.deliverReport(entry, status);
  }

  private async deliverReport(entry: LedgerEntry, status: ReportedStatus): Promise<void> {
    const report = statusReport(entry, status);
    const end = await this.parts.outbox.put(entry.smsId, (attempt) =>
      this.parts.report({ ...report, reportAttempt: attempt }),
    );
    const known = this.parts.ledger.find(entry.smsId);
    const settles = end !== 'abandoned' && isLastStatus(entry, status);
    if (settles && known?.settled === false) this.parts.ledger.change(entry.smsId, { settled: true });
    this.listener.reported(entry, status, end);
  }
}
