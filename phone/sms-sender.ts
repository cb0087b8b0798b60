import { AckCoalescer } from './ack-coalescer';
import type { Radio, RadioListener, SendAttempt, SendResult } from './radio';
import type { ReportResult, ReportOutbox } from './report-outbox';
import type { FailureReason, LedgerEntry, SentLedger } from './sent-ledger';
import { isLastStatus, latestStatus, statusReport, type ReportedStatus } from './status-report';
import { Timers } from './timers';
import type { SmsCommand, StatusReport } from './wire';

export interface SmsSenderParts {
  readonly ledger: SentLedger;
  readonly acks: AckCoalescer;
  /** Confirms messages that were not sent and will not be. */
  readonly cancellations: AckCoalescer;
  readonly outbox: ReportOutbox;
  readonly report: (report: StatusReport) => Promise<void>;
  /** Whether reports name the SIM. */
  readonly reportsSim: boolean;
  /** Seconds by which acknowledgements and reports are late. */
  readonly answerDelaySeconds: () => number;
}

export interface SmsSenderListener {
  offered(command: SmsCommand, known: boolean): void;
  onAir(attempt: SendAttempt, result: SendResult): void;
  reported(entry: LedgerEntry, status: ReportedStatus, end: ReportResult): void;
}

/** Sends each message once and reports its outcome. */
export class SmsSender implements RadioListener {
  readonly radio: Radio;
  private readonly lateAnswers = new Timers();
  private readonly lateActions = new Map<string, readonly (() => void)[]>();
  private stopping = false;
  private stopped = false;

  constructor(
    private readonly parts: SmsSenderParts,
    private readonly listener: SmsSenderListener,
    createRadio: (listener: RadioListener) => Radio,
  ) {
    this.radio = createRadio(this);
  }

  get isIdle(): boolean {
    return this.radio.isIdle && this.lateAnswers.size === 0;
  }

  /** Whether no outcome of a message on the air is pending. */
  get isQuiet(): boolean {
    return this.radio.isQuiet && this.lateAnswers.size === 0;
  }

  /** Accepts a pushed message. A known one is acknowledged and reported again, but not sent again. */
  take(command: SmsCommand): void {
    if (this.stopping) return;
    const known = this.parts.ledger.find(command.smsId);
    if (known?.cancelled) {
      this.confirmCancelled(command.smsId);
      return;
    }
    this.listener.offered(command, known !== undefined);
    // After the acknowledgement, the service relies on this phone.
    if (known === undefined) this.parts.ledger.accept(command, Date.now());
    this.acknowledge(command.smsId);
    if (known === undefined) this.radio.send(command);
    else this.repeatLatestReport(known);
  }

  /**
   * Cancels a message that Android does not have yet, or that the radio gives back. It is recorded before the confirmation, because the service then
   * counts it as not sent.
   */
  cancel(smsId: string): void {
    if (this.stopping) return;
    const { ledger } = this.parts;
    const known = ledger.find(smsId);
    if (known?.sendAttemptedAt !== undefined) {
      void this.withdraw(known);
      return;
    }
    this.radio.remove(smsId);
    if (!known?.cancelled) ledger.cancel(smsId, Date.now());
    this.confirmCancelled(smsId);
  }

  /** Continues with the messages of an earlier run. */
  resumeUnfinished(): void {
    for (const entry of this.parts.ledger.unfinished()) {
      // The acknowledgement may be missing.
      if (entry.sendAttemptedAt === undefined) this.resumeUnsent(entry);
      else this.resumeSent(entry, entry.sendAttemptedAt);
    }
  }

  /** Outcomes of messages on the air are still reported. */
  stopSending(): void {
    this.stopping = true;
    this.radio.stopSending();
  }

  stop(): void {
    this.stopping = true;
    this.stopped = true;
    this.radio.stop();
    this.lateAnswers.clear();
    this.lateActions.clear();
  }

  attempted({ command, parts, slot, store }: SendAttempt, at: number): void {
    // If the phone dies in between, only a radio that remembers the message by its id can send it again.
    this.parts.ledger.change(command.smsId, {
      command: store === undefined ? undefined : command,
      sendAttemptedAt: at,
      store,
      parts,
      simSubscriptionId: slot?.subscriptionId,
      iccId: slot?.card.iccId,
    });
  }

  ended(attempt: SendAttempt, result: SendResult): void {
    const { fate, partTimes, error, reason, at } = result;
    const time = fate === 'failed' ? { failedAt: at } : { sentAt: at };
    const change = { command: undefined, fate, partTimes, error, reason, ...time };
    const entry = this.parts.ledger.change(attempt.command.smsId, change);
    // A phone that was stopped reports it after its start.
    if (!this.stopped) this.report(entry, fate === 'failed' ? 'FAILED' : 'SENT');
    this.listener.onAir(attempt, result);
  }

  delivered(smsId: string, at: number): void {
    this.report(this.parts.ledger.change(smsId, { deliveredAt: at }), 'DELIVERED');
  }

  deliveryFailed(smsId: string, at: number, reason: FailureReason): void {
    const change = { fate: 'failed', failedAt: at, reason } as const;
    this.report(this.parts.ledger.change(smsId, change), 'FAILED');
  }

  unconfirmed(smsId: string): void {
    const isReported = !this.parts.outbox.holds(smsId);
    this.parts.ledger.change(smsId, { fate: 'sent', ...(isReported && { settled: true }) });
  }

  inDoubt(smsId: string): void {
    this.parts.ledger.change(smsId, { command: undefined, settled: true });
  }

  private resumeUnsent(entry: LedgerEntry): void {
    if (entry.command === undefined) return;
    this.acknowledge(entry.smsId);
    this.radio.send(entry.command);
  }

  private resumeSent(entry: LedgerEntry, attemptedAt: number): void {
    const { smsId, fate, sentAt = attemptedAt, simSubscriptionId } = entry;
    // Without an outcome, the phone died while the radio had the message.
    if (fate === undefined && this.radio.recover(entry) === 'pending') {
      this.acknowledge(smsId);
      return;
    }
    if (fate === undefined || fate === 'failed') {
      const failedAt = entry.failedAt ?? attemptedAt;
      this.report(this.parts.ledger.change(smsId, { fate: 'failed', failedAt }), 'FAILED');
      return;
    }
    this.report(this.parts.ledger.change(smsId, { sentAt }), 'SENT');
    if (fate !== 'delivered') return;
    if (entry.deliveredAt === undefined) this.radio.awaitDelivery(smsId, sentAt, simSubscriptionId);
    else this.delivered(smsId, entry.deliveredAt);
  }

  /** The service pushes a reported message again only if it did not receive the report. */
  private repeatLatestReport(entry: LedgerEntry): void {
    const status = latestStatus(entry);
    if (status !== undefined && !this.parts.outbox.holds(entry.smsId)) this.report(entry, status);
  }

  private async withdraw({ smsId }: LedgerEntry): Promise<void> {
    const isUnsent = await this.radio.withdraw(smsId);
    if (this.stopped) return;
    const { ledger } = this.parts;
    if (isUnsent) {
      ledger.cancel(smsId, Date.now());
      this.confirmCancelled(smsId);
      return;
    }
    this.acknowledge(smsId);
    const known = ledger.find(smsId);
    if (known !== undefined) this.repeatLatestReport(known);
  }

  private acknowledge(smsId: string): void {
    this.answer(smsId, () => {
      this.parts.acks.add(smsId);
    });
  }

  private confirmCancelled(smsId: string): void {
    this.answer(smsId, () => {
      this.parts.cancellations.add(smsId);
    });
  }

  private report(entry: LedgerEntry | undefined, status: ReportedStatus): void {
    if (entry === undefined) return;
    this.answer(entry.smsId, () => {
      void this.deliverReport(entry, status);
    });
  }

  /** The answers of one message keep their order, whichever timer fires first and also when the fault of late answers ends. */
  private answer(smsId: string, action: () => void): void {
    const delayMs = this.parts.answerDelaySeconds() * 1000;
    const late = this.lateActions.get(smsId) ?? [];
    if (delayMs === 0 && late.length === 0) {
      action();
      return;
    }
    this.lateActions.set(smsId, [...late, action]);
    this.lateAnswers.after(delayMs, () => {
      const [next, ...others] = this.lateActions.get(smsId) ?? [];
      if (others.length === 0) this.lateActions.delete(smsId);
      else this.lateActions.set(smsId, others);
      next?.();
    });
  }

  private async deliverReport(entry: LedgerEntry, status: ReportedStatus): Promise<void> {
    const report = statusReport(entry, status, this.parts.reportsSim);
    const end = await this.parts.outbox.put(entry.smsId, (attempt) =>
      this.parts.report({ ...report, reportAttempt: attempt }),
    );
    const known = this.parts.ledger.find(entry.smsId);
    const settles = end !== 'abandoned' && isLastStatus(entry, status);
    if (settles && known?.settled === false) this.parts.ledger.change(entry.smsId, { settled: true });
    this.listener.reported(entry, status, end);
  }
}
