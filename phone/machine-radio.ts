import type { MachineRadioListener, Radio, SendAttempt } from './radio';
import type { RadioDriver, RadioFacts, RadioState } from './radio-driver';
import { SEND_ERRORS, type SendError } from './send-error';
import type { FailureReason, LedgerEntry } from './sent-ledger';
import { countParts } from './sims/message-parts';
import type { SmsCommand } from './wire';

export interface MachineRadioOptions {
  /** Default 1 s. */
  readonly tickMs?: number;
  /** How long the radio may be unreachable before the phone goes offline. */
  readonly graceMs?: number;
}

/** Few, so that the rest can still be cancelled or moved to another phone. */
const MAX_HANDED_OVER = 5;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

type SentState = Extract<RadioState, { readonly state: 'sent' | 'delivered' | 'undelivered' }>;

/** A message that the radio has, or may have. */
interface Watched {
  readonly attempt: SendAttempt;
  readonly attemptedAt: number;
  /** Undefined if only a lookup can tell whether the radio has it, and it is not to be handed over again. */
  readonly command: SmsCommand | undefined;
  sentAt?: number;
  lookAt: number;
}

/** How long until the next look at a message of this age. */
function lookAfter(ageMs: number): number {
  if (ageMs < MINUTE_MS) return 1_000;
  return ageMs < 10 * MINUTE_MS ? 5_000 : MINUTE_MS;
}

/**
 * The radio of a modem or of a phone in the local network. It looks an id up before it hands a message over again, and polls
 * what became of it.
 */
export class MachineRadio implements Radio {
  private queue: SmsCommand[] = [];
  private readonly watched = new Map<string, Watched>();
  private readonly uploading = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private ticking: Promise<void> | undefined;
  private problem: string | undefined;
  private unreachableSince: number | undefined;
  private paused = false;
  private stopping = false;
  private stopped = false;

  constructor(
    private readonly driver: RadioDriver,
    private facts: RadioFacts,
    private readonly listener: MachineRadioListener,
    private readonly options: MachineRadioOptions = {},
  ) {
    this.schedule(0);
  }

  /** As of the last successful check. */
  get lastFacts(): RadioFacts {
    return this.facts;
  }

  get isIdle(): boolean {
    return this.queue.length === 0 && this.watched.size === 0;
  }

  get isQuiet(): boolean {
    return this.handedOver === 0;
  }

  send(command: SmsCommand): void {
    if (!this.stopping) this.queue.push(command);
  }

  remove(smsId: string): boolean {
    const { length } = this.queue;
    this.queue = this.queue.filter((command) => command.smsId !== smsId);
    return this.queue.length < length;
  }

  async withdraw(smsId: string): Promise<boolean> {
    const watched = this.watched.get(smsId);
    if (watched === undefined || watched.sentAt !== undefined) return false;
    const isWithdrawn = await this.ask(() => this.driver.withdraw(smsId));
    if (isWithdrawn) this.watched.delete(smsId);
    return isWithdrawn === true;
  }

  recover({ smsId, command, sendAttemptedAt = 0, store, parts = 1 }: LedgerEntry): 'pending' {
    // Another store does not know what this radio has sent.
    const again = store !== undefined && store === this.driver.store ? command : undefined;
    const attempt = { command: again ?? { ...NO_COMMAND, smsId }, parts, store };
    this.watched.set(smsId, { attempt, attemptedAt: sendAttemptedAt, command: again, lookAt: 0 });
    return 'pending';
  }

  awaitDelivery(smsId: string, sentAt: number): void {
    const attempt = { command: { ...NO_COMMAND, smsId }, parts: 1 };
    this.watched.set(smsId, { attempt, attemptedAt: sentAt, command: undefined, sentAt, lookAt: 0 });
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
  }

  stopSending(): void {
    this.stopping = true;
    this.queue = [];
  }

  /** What the radio has stays in the ledger, and is looked up in the next run. */
  stop(): void {
    this.stopSending();
    this.stopped = true;
    clearTimeout(this.timer);
    void (this.ticking ?? Promise.resolve()).then(() => {
      this.driver.close();
    });
  }

  /** A function, because the compiler assumes that the field stays the same. */
  private isStopped(): boolean {
    return this.stopped;
  }

  private get handedOver(): number {
    return [...this.watched.values()].filter(({ sentAt }) => sentAt === undefined).length;
  }

  private schedule(wait = this.options.tickMs ?? 1_000): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.ticking = this.tick().then(() => {
        this.ticking = undefined;
        this.schedule();
      });
    }, wait);
  }

  private async tick(): Promise<void> {
    await this.check();
    await this.lookAtWatched();
    await this.handOver();
    await this.collectReceived();
  }

  private async check(): Promise<void> {
    try {
      const facts = await this.driver.check();
      const isNews = JSON.stringify(facts.sims) !== JSON.stringify(this.facts.sims);
      this.facts = facts;
      this.unreachableSince = undefined;
      this.setProblem(undefined);
      if (isNews && !this.stopped) this.listener.factsChanged();
    } catch (error) {
      const { graceMs = 0 } = this.options;
      this.unreachableSince ??= Date.now();
      if (Date.now() - this.unreachableSince >= graceMs) this.setProblem(textOf(error));
    }
  }

  private setProblem(problem: string | undefined): void {
    if (this.stopped || problem === this.problem) return;
    this.problem = problem;
    this.listener.availabilityChanged(problem);
  }

  private async lookAtWatched(): Promise<void> {
    const now = Date.now();
    const due = [...this.watched].filter(([, each]) => each.lookAt <= now).slice(0, 200);
    if (due.length === 0 || this.stopped) return;
    const states = await this.ask(() => this.driver.statesOf(due.map(([smsId]) => smsId)));
    if (states === undefined || this.isStopped()) return;
    for (const [smsId, watched] of due) {
      if (!this.watched.has(smsId)) continue;
      const isUnsent = watched.sentAt === undefined;
      watched.lookAt = now + (isUnsent && this.driver.isLocal ? 1_000 : lookAfter(now - watched.attemptedAt));
      await this.follow(smsId, watched, states.get(smsId));
      if (this.isStopped()) return;
    }
  }

  private async follow(smsId: string, watched: Watched, known: RadioState | undefined): Promise<void> {
    const isOld = Date.now() - watched.attemptedAt > DAY_MS;
    if (watched.sentAt !== undefined) {
      this.followSent(smsId, watched.sentAt, known, isOld);
      return;
    }
    switch (known?.state) {
      case undefined:
        await this.followUnknown(smsId, watched, isOld);
        return;
      case 'waiting':
        if ((isExpired(watched.command) || isOld) && (await this.withdraw(smsId)))
          this.fail(watched.attempt, isOld ? SEND_ERRORS.NO_SERVICE : SEND_ERRORS.EXPIRED);
        return;
      case 'doubtful':
        this.watched.delete(smsId);
        this.listener.inDoubt(smsId);
        return;
      case 'failed':
        this.watched.delete(smsId);
        this.fail(watched.attempt, SEND_ERRORS.GENERIC_FAILURE, known.reason, known.at);
        return;
      case 'sent':
      case 'delivered':
      case 'undelivered':
        this.followSent(smsId, this.endSent(watched, known), known, isOld);
    }
  }

  private followSent(smsId: string, sentAt: number, known: RadioState | undefined, isOld: boolean): void {
    const isOver = known === undefined || !isAwaited(known);
    if (isOver || isOld) this.watched.delete(smsId);
    // The times of a modem are whole seconds.
    if (known?.state === 'delivered') this.listener.delivered(smsId, Math.max(known.at, sentAt));
    else if (known?.state === 'undelivered')
      this.listener.deliveryFailed(smsId, Math.max(known.at, sentAt), known.reason);
    else if (isOver || isOld) this.listener.unconfirmed(smsId);
  }

  /** The store has never got it. */
  private async followUnknown(smsId: string, watched: Watched, isOld: boolean): Promise<void> {
    if (watched.command === undefined || isOld) {
      this.watched.delete(smsId);
      this.listener.inDoubt(smsId);
    } else if (isExpired(watched.command)) {
      this.watched.delete(smsId);
      this.fail(watched.attempt, SEND_ERRORS.EXPIRED);
    } else if (this.isReady) {
      await this.hand(watched, watched.command);
    }
  }

  private get isReady(): boolean {
    return (
      !this.paused && !this.stopping && this.problem === undefined && this.unreachableSince === undefined
    );
  }

  private async handOver(): Promise<void> {
    while (this.isReady && this.handedOver < MAX_HANDED_OVER) {
      const command = this.queue.shift();
      if (command === undefined) return;
      const [sim] = this.facts.sims;
      const slot = sim && { subscriptionId: this.simOf(command) ?? sim.subscriptionId, card: {} };
      const attempt = { command, parts: countParts(command.message), slot, store: this.driver.store };
      const now = Date.now();
      this.listener.attempted(attempt, now);
      if (isExpired(command)) {
        this.fail(attempt, SEND_ERRORS.EXPIRED);
      } else if (command.encryptedMessage !== undefined) {
        this.fail(attempt, SEND_ERRORS.GENERIC_FAILURE, ENCRYPTED);
      } else if (command.simSubscriptionId !== undefined && this.simOf(command) === undefined) {
        this.fail(attempt, SEND_ERRORS.GENERIC_FAILURE, NO_SUCH_SIM);
      } else {
        const watched = { attempt, attemptedAt: now, command, lookAt: now + 1_000 };
        this.watched.set(command.smsId, watched);
        await this.hand(watched, command);
      }
    }
  }

  private simOf({ simSubscriptionId }: SmsCommand): number | undefined {
    return this.facts.sims.find((sim) => sim.subscriptionId === simSubscriptionId)?.subscriptionId;
  }

  private async hand({ attempt }: Watched, command: SmsCommand): Promise<void> {
    // It may have been withdrawn since it was looked up.
    if (!this.watched.has(command.smsId)) return;
    try {
      const refusal = await this.driver.hand(command);
      if (refusal === undefined || this.stopped) return;
      this.watched.delete(command.smsId);
      this.fail(attempt, SEND_ERRORS.GENERIC_FAILURE, refusal);
    } catch (error) {
      this.fault(error);
    }
  }

  /** @returns when it was sent. */
  private endSent(watched: Watched, known: SentState): number {
    const sentAt = Math.max(known.state === 'sent' ? known.at : known.sentAt, watched.attemptedAt);
    watched.sentAt = sentAt;
    const { attempt } = watched;
    const partTimes = Array.from({ length: attempt.parts }, () => sentAt);
    const fate = known.state === 'sent' && !known.isConfirmed ? 'sent' : 'delivered';
    this.listener.ended(attempt, { fate, at: sentAt, partTimes, dropped: false });
    return sentAt;
  }

  private fail(attempt: SendAttempt, error: SendError, reason?: FailureReason, at = Date.now()): void {
    this.listener.ended(attempt, { fate: 'failed', at, partTimes: [], error, reason, dropped: false });
  }

  private async collectReceived(): Promise<void> {
    if (this.stopped || this.paused) return;
    for (const sms of (await this.ask(() => this.driver.received())) ?? []) {
      if (this.uploading.has(sms.key)) continue;
      this.uploading.add(sms.key);
      void this.listener.received(sms).then(async (end) => {
        if (end !== 'abandoned') await this.ask(() => this.driver.settle(sms.key, end));
        this.uploading.delete(sms.key);
      });
    }
  }

  /** @returns undefined if the radio cannot be asked now. */
  private async ask<Answer>(question: () => Promise<Answer>): Promise<Answer | undefined> {
    if (this.stopped) return undefined;
    try {
      return await question();
    } catch (error) {
      this.fault(error);
      return undefined;
    }
  }

  private fault(error: unknown): void {
    if (!this.stopped && this.problem === undefined) this.listener.failure(textOf(error));
  }
}

const NO_COMMAND = { smsBatchId: '', message: '', recipients: [''] } as const;
const ENCRYPTED = { code: 'ENCRYPTED', text: 'This radio cannot decrypt the message' } as const;
const NO_SUCH_SIM = { code: 'SIM_NOT_FOUND', text: 'The SIM is not in this phone' } as const;

const isAwaited = (known: RadioState): boolean => known.state === 'sent' && known.isConfirmed;

function isExpired(command: SmsCommand | undefined): boolean {
  return command?.validUntil !== undefined && Date.now() >= Date.parse(command.validUntil);
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
