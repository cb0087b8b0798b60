import { EventEmitter } from 'node:events';
import type { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from './backoff';
import { RequestError } from './json-client';
import { PhoneApi } from './phone-api';
import { PhoneCounters, type PhoneCounts } from './phone-counters';
import type { AirRecord, PhoneEvents } from './phone-events';
import { PhoneSession, type SessionListener } from './phone-session';
import type { MachineRadioListener, Radio, SendAttempt, SendResult } from './radio';
import { SentLedger, type SentLedgerOptions } from './sent-ledger';
import type { SmsStreamOptions } from './sms-stream';
import type { RegisteredDevice } from './wire';

export interface PhoneOptions {
  /** Without `/api/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Enables a disabled device at the start. */
  readonly switchOn?: boolean;
  readonly ledger?: SentLedgerOptions;
  readonly stream?: SmsStreamOptions;
  /** Concurrent status reports. Default 4. */
  readonly reportConcurrency?: number;
  /** How long `start` waits for an unavailable service. Default 60 s. */
  readonly startTimeoutMs?: number;
  /** Number of air records to keep. Default 100,000. */
  readonly airLogLimit?: number;
  /** Shared by the phones of a process to limit sockets. */
  readonly agent?: Agent;
}

/** A phone of the service, whatever its radio: it registers, holds its stream, sends once, and reports. */
export abstract class Phone extends EventEmitter<PhoneEvents> {
  /** For tests that send unusual requests. */
  readonly api: PhoneApi;
  protected session: PhoneSession | undefined;
  protected readonly counters = new PhoneCounters();
  private readonly ledger: SentLedger;
  private readonly air: AirRecord[] = [];
  private device: RegisteredDevice | undefined;
  private running: AbortController | undefined;
  private refusedStatus: number | undefined;

  /** @throws TypeError for an invalid `baseUrl`; an error of the file system for an unreadable ledger. */
  constructor(private readonly phone: PhoneOptions) {
    super();
    this.api = new PhoneApi(phone);
    this.ledger = new SentLedger(phone.ledger);
  }

  /** The body of the registration. */
  protected abstract registration(): Readonly<Record<string, unknown>>;
  /** The body of a heartbeat. */
  protected abstract facts(): Readonly<Record<string, unknown>>;
  protected abstract createRadio(listener: MachineRadioListener): Radio;
  /** Whether reports name the SIM. */
  protected abstract readonly reportsSim: boolean;

  /** @throws Error before the registration. */
  get deviceId(): string {
    if (this.device === undefined) throw new Error('the phone is not registered yet');
    return this.device._id;
  }

  get counts(): Readonly<PhoneCounts> {
    return this.counters.counts;
  }

  /** The messages that the radio got, oldest first (see `airLogLimit`). */
  get airLog(): readonly AirRecord[] {
    return this.air;
  }

  /**
   * Registers the phone, sends a heartbeat and opens the stream. Waits for an unavailable service. A stopped phone
   * can be started again and continues.
   * @throws RequestError if the service rejects the phone or is unavailable for too long; Error if it rejects the
   * stream.
   */
  async start(): Promise<RegisteredDevice> {
    if (this.running !== undefined) throw new Error('the phone is already running');
    const running = new AbortController();
    this.running = running;
    this.refusedStatus = undefined;
    try {
      await this.prepare(running.signal);
      const deadline = Date.now() + (this.phone.startTimeoutMs ?? 60_000);
      const device = await this.register(deadline, running.signal);
      this.device = device;
      this.emit('registered', device);
      const session = this.sessionOf(device);
      this.session = session;
      await session.start();
      if (this.usesStream()) await this.waitForStream(session, running.signal, deadline);
      return device;
    } catch (error) {
      // It may have been restarted meanwhile.
      if (this.running === running) await this.stop();
      throw error;
    }
  }

  /**
   * Stops the phone at once, as if it had died, or after at most `finishWithinMs` to report messages on the air.
   * Unsent messages stay in the ledger. Leaves no timers or sockets.
   */
  async stop({ finishWithinMs = 0 }: { readonly finishWithinMs?: number } = {}): Promise<void> {
    const { session } = this;
    if (session !== undefined && finishWithinMs > 0) {
      session.drain();
      const isDrained = (): boolean => session.isAccountedFor;
      // The rest stays in the ledger.
      await this.counters.until('the last reports', isDrained, finishWithinMs).catch(() => undefined);
    }
    session?.stop();
    this.running?.abort();
    this.session = undefined;
    this.running = undefined;
    this.api.close();
    this.ledger.close();
    this.counters.check();
  }

  /** Waits for a counter. @throws Error with all counters after the timeout. */
  until(name: keyof PhoneCounts, atLeast: number, timeoutMs = 30_000): Promise<void> {
    return this.counters.until(`${name} >= ${atLeast}`, () => this.counts[name] >= atLeast, timeoutMs);
  }

  /** Waits until nothing is left to send, report or acknowledge. @throws Error with all counters after the timeout. */
  untilIdle(timeoutMs = 30_000): Promise<void> {
    return this.counters.until('nothing left to do', () => this.session?.isIdle ?? true, timeoutMs);
  }

  /** Sends a heartbeat; a failure emits `failure`. @throws Error if the phone is off. */
  async heartbeat(): Promise<void> {
    await this.requireSession().beat();
  }

  /** Whether pushes come on a stream. */
  protected usesStream(): boolean {
    return true;
  }

  /** Runs before the registration. */
  protected prepare(_signal: AbortSignal): Promise<void> {
    return Promise.resolve();
  }

  protected answerDelaySeconds(): number {
    return 0;
  }

  protected requireSession(): PhoneSession {
    if (this.session === undefined) throw new Error('the phone is not running');
    return this.session;
  }

  private async register(deadline: number, signal: AbortSignal): Promise<RegisteredDevice> {
    const backoff = new Backoff(250, 3_000);
    for (;;) {
      try {
        const device = await this.api.registerDevice(this.registration());
        signal.throwIfAborted();
        if (device.enabled || !this.phone.switchOn) return device;
        return await this.api.setEnabled(device._id, true);
      } catch (error) {
        const wait = backoff.next();
        if (!(error instanceof RequestError) || error.isPermanent || Date.now() + wait > deadline)
          throw error;
        this.emit('waiting', error.message);
        await sleep(wait, undefined, { signal });
      }
    }
  }

  private async waitForStream(session: PhoneSession, signal: AbortSignal, deadline: number): Promise<void> {
    const isSettled = (): boolean =>
      session.stream.isOpen || session.isRadioGone || this.refusedStatus !== undefined || signal.aborted;
    await this.counters.until('the stream', isSettled, Math.max(1, deadline - Date.now()));
    signal.throwIfAborted();
    if (this.refusedStatus !== undefined) {
      throw new Error(`the service rejected the stream of device ${this.deviceId}: ${this.refusedStatus}`);
    }
  }

  private sessionOf(device: RegisteredDevice): PhoneSession {
    const options = {
      api: this.api,
      device,
      ledger: this.ledger,
      createRadio: (listener: MachineRadioListener) => this.createRadio(listener),
      answerDelaySeconds: () => this.answerDelaySeconds(),
      stream: this.usesStream() ? (this.phone.stream ?? {}) : undefined,
      reportsSim: this.reportsSim,
      reportConcurrency: this.phone.reportConcurrency,
      heartbeatFacts: () => this.facts(),
    };
    return new PhoneSession(options, this.sessionListener());
  }

  private sessionListener(): SessionListener {
    return {
      streamOpen: () => {
        this.emit('streamOpen');
        this.counters.add('streamsOpened');
      },
      streamClosed: (reason) => this.emit('streamClosed', reason),
      streamRefused: (status) => {
        this.refusedStatus = status;
        this.emit('failure', `the service rejected the stream with ${status}`);
        this.counters.check();
      },
      offered: (command, known) => {
        this.emit('offered', command, known);
        this.counters.add('offered');
        if (known) this.counters.add('repeated');
      },
      acknowledged: (smsIds) => {
        this.emit('acknowledged', smsIds);
        this.counters.add('acknowledged', smsIds.length);
      },
      cancelled: (smsIds) => {
        this.counters.add('cancelled', smsIds.length);
      },
      onAir: (attempt, result) => {
        this.recordOnAir(attempt, result);
      },
      reported: ({ smsId, recipient }, status, end) => {
        if (end === 'abandoned') return;
        this.emit('reported', { smsId, recipient, status, end });
        this.counters.add(end === 'refused' ? 'refused' : COUNT_OF_STATUS[status]);
      },
      received: (sms, end) => {
        if (end === 'abandoned') return;
        if (end === 'taken') this.emit('received', sms);
        this.counters.add(end === 'taken' ? 'received' : 'refused');
      },
      heartbeat: (answer) => {
        this.emit('heartbeat', answer);
        this.counters.add('heartbeats');
      },
      radioProblem: (problem) => {
        this.emit('radio', problem);
        this.counters.check();
      },
      failure: (message) => this.emit('failure', message),
      changed: () => {
        this.counters.check();
      },
    };
  }

  private recordOnAir({ command, parts, slot }: SendAttempt, result: SendResult): void {
    const { smsId, smsBatchId, message } = command;
    const record = {
      smsId,
      smsBatchId,
      recipient: command.recipients[0],
      text: message,
      parts,
      simSubscriptionId: slot?.subscriptionId,
      iccId: slot?.card.iccId,
      ...result,
    };
    const limit = this.phone.airLogLimit ?? 100_000;
    this.air.push(record);
    // A margin of a tenth, so that the array is not shifted for each message.
    if (this.air.length > limit * 1.1) this.air.splice(0, this.air.length - limit);
    this.emit('onAir', record);
    this.counters.add('partsOnAir', result.partTimes.length);
    this.counters.add('onAir');
  }
}

const COUNT_OF_STATUS = { SENT: 'sent', DELIVERED: 'delivered', FAILED: 'failed' } as const;
