import { AckCoalescer } from './ack-coalescer';
import { Backoff } from './backoff';
import { incomingSms } from './incoming-sms';
import { RequestError } from './json-client';
import type { PhoneApi } from './phone-api';
import type { MachineRadioListener, Radio, RadioListener, ReceivedSms } from './radio';
import { ReportOutbox, type ReportResult } from './report-outbox';
import type { SentLedger } from './sent-ledger';
import { SmsSender, type SmsSenderListener } from './sms-sender';
import { SmsStream, type SmsStreamOptions } from './sms-stream';
import { Timers } from './timers';
import { readPushedCommand, type HeartbeatResult, type IncomingSms, type RegisteredDevice } from './wire';

export interface SessionListener extends SmsSenderListener {
  streamOpen(): void;
  streamClosed(reason: string): void;
  streamRefused(status: number): void;
  acknowledged(smsIds: readonly string[]): void;
  cancelled(smsIds: readonly string[]): void;
  heartbeat(answer: HeartbeatResult): void;
  /** An upload has ended. */
  received(sms: IncomingSms, end: ReportResult): void;
  /** @param problem why nothing can be sent; undefined when it can be again. */
  radioProblem(problem: string | undefined): void;
  failure(message: string): void;
  /** Work has finished, possibly the last. */
  changed(): void;
}

export interface SessionOptions {
  readonly api: PhoneApi;
  readonly device: RegisteredDevice;
  readonly ledger: SentLedger;
  readonly createRadio: (listener: MachineRadioListener) => Radio;
  /** Seconds by which acknowledgements and reports are late. */
  readonly answerDelaySeconds?: () => number;
  /** Undefined for a phone that gets its pushes by `receivePush`. */
  readonly stream: SmsStreamOptions | undefined;
  readonly reportsSim: boolean;
  readonly reportConcurrency?: number;
  readonly heartbeatFacts: () => Readonly<Record<string, unknown>>;
}

/** A wrong key, one of another phone, and a removed device. */
const SHUT_OUT: ReadonlySet<number> = new Set([401, 403, 404]);

/** A registered phone while it runs: its stream, heartbeats, sending and reports. */
export class PhoneSession {
  readonly outbox: ReportOutbox;
  readonly acks: AckCoalescer;
  readonly stream: SmsStream;
  private readonly cancellations: AckCoalescer;
  readonly sender: SmsSender;
  private readonly timers = new Timers();
  private readonly heartbeatBackoff = new Backoff(500, 30_000);
  private isHeartbeatInFlight = false;
  private isHeartbeatDue = false;
  private nextHeartbeat: NodeJS.Timeout | undefined;
  private frozen = false;
  private radioIsGone = false;
  private stopped = false;

  constructor(
    private readonly options: SessionOptions,
    private readonly listener: SessionListener,
  ) {
    const { api, device, ledger } = options;
    const failure = (message: string): void => {
      listener.failure(message);
    };
    this.outbox = new ReportOutbox({ concurrency: options.reportConcurrency, onFailure: failure });
    const changed = (): void => {
      listener.changed();
    };
    this.acks = new AckCoalescer((smsIds) => api.acknowledge(device._id, smsIds), {
      acknowledged: (smsIds) => {
        listener.acknowledged(smsIds);
      },
      failure,
      changed,
    });
    this.cancellations = new AckCoalescer((smsIds) => api.confirmCancelled(device._id, smsIds), {
      acknowledged: (smsIds) => {
        listener.cancelled(smsIds);
      },
      failure,
      changed,
    });
    this.sender = new SmsSender(
      {
        ledger,
        acks: this.acks,
        cancellations: this.cancellations,
        outbox: this.outbox,
        report: (report) => api.reportStatus(device._id, report),
        reportsSim: options.reportsSim,
        answerDelaySeconds: options.answerDelaySeconds ?? (() => 0),
      },
      listener,
      (sender) => options.createRadio(this.radioListener(sender)),
    );
    this.stream = new SmsStream(() => api.openStream(device._id), this.streamListener(), options.stream);
  }

  /** Whether nothing is left to send, report or acknowledge. */
  get isIdle(): boolean {
    return this.sender.isIdle && this.isAnswered;
  }

  /** Whether every message on the air has been reported. */
  get isAccountedFor(): boolean {
    return this.sender.isQuiet && this.isAnswered;
  }

  /** Whether the radio cannot send. */
  get isRadioGone(): boolean {
    return this.radioIsGone;
  }

  private get isAnswered(): boolean {
    return this.outbox.isEmpty && this.acks.isEmpty && this.cancellations.isEmpty;
  }

  /** Resolves when the stream is being opened; failures are retried. */
  async start(): Promise<void> {
    this.sender.resumeUnfinished();
    // The service needs the send delay of the heartbeat to plan its waves.
    await this.beat();
    this.openStream();
  }

  /** Handles the data of an FCM push. */
  receivePush(data: Readonly<Record<string, unknown>>): void {
    if (data.type === 'heartbeat_check') {
      void this.beat();
      return;
    }
    const command = readPushedCommand(data.smsData);
    if (command === undefined) this.listener.failure('invalid FCM push');
    else this.sender.take(command);
  }

  /** Stops sending, reading and answering. The stream stays open and messages on the air continue. */
  freeze(): void {
    this.frozen = true;
    this.stream.pause();
    this.sender.radio.pause();
    for (const part of [this.acks, this.cancellations, this.outbox]) part.pause();
  }

  thaw(): void {
    this.frozen = false;
    this.stream.resume();
    this.sender.radio.resume();
    for (const part of [this.acks, this.cancellations, this.outbox]) part.resume();
    void this.beat();
  }

  upload(sms: IncomingSms): Promise<ReportResult> {
    return this.outbox.put(`incoming ${sms.fingerprint}`, () =>
      this.options.api.uploadIncoming(this.options.device._id, sms),
    );
  }

  /** Uploads a message that its radio keeps until it is taken: also until a revoked key or a removed device is replaced. */
  private async uploadReceived({ sender, message, receivedAtInMillis }: ReceivedSms): Promise<ReportResult> {
    const sms = incomingSms(sender, message, receivedAtInMillis);
    const { api, device } = this.options;
    const end = await this.outbox.put(`incoming ${sms.fingerprint}`, async () => {
      try {
        await api.uploadIncoming(device._id, sms);
      } catch (error) {
        const isShutOut = error instanceof RequestError && SHUT_OUT.has(error.status ?? 0);
        throw isShutOut ? new RequestError(error.message) : error;
      }
    });
    this.listener.received(sms, end);
    return end;
  }

  /** Sends a heartbeat and fetches pending messages. Retries failures. */
  async beat(): Promise<void> {
    if (this.frozen || this.stopped || this.isRadioGone) return;
    // The one in flight may have been built before the news that is to be told.
    this.isHeartbeatDue = this.isHeartbeatInFlight;
    if (this.isHeartbeatDue) return;
    this.isHeartbeatInFlight = true;
    const { api, device } = this.options;
    let wait = device.heartbeatIntervalMinutes * 60_000;
    try {
      const answer = await api.heartbeat(device._id, this.options.heartbeatFacts());
      this.heartbeatBackoff.reset();
      this.listener.heartbeat(answer);
      if (answer.pendingCount > 0) await this.fetchPending();
    } catch (error) {
      this.reportFailure(error);
      if (!(error instanceof RequestError && error.isPermanent)) wait = this.heartbeatBackoff.next();
    } finally {
      this.isHeartbeatInFlight = false;
      this.scheduleHeartbeat(wait);
    }
  }

  /** Stops receiving and sending; reports continue until `stop`. */
  drain(): void {
    this.stream.drop();
    this.sender.stopSending();
  }

  stop(): void {
    this.stopped = true;
    this.stream.drop();
    this.sender.stop();
    this.acks.stop();
    this.cancellations.stop();
    this.outbox.stop();
    this.timers.clear();
  }

  private scheduleHeartbeat(wait: number): void {
    if (this.stopped) return;
    if (this.nextHeartbeat !== undefined) this.timers.cancel(this.nextHeartbeat);
    this.nextHeartbeat = this.timers.after(this.isHeartbeatDue ? 0 : wait, () => {
      void this.beat();
    });
  }

  private async fetchPending(): Promise<void> {
    try {
      for (const command of await this.options.api.pendingCommands(this.options.device._id)) {
        if (!this.stopped) this.sender.take(command);
      }
    } catch (error) {
      // An older service pushes these messages on the stream.
      if (!(error instanceof RequestError && error.status === 404)) throw error;
    }
  }

  private openStream(): void {
    if (!this.stopped && !this.isRadioGone && this.options.stream !== undefined) this.stream.open();
  }

  /** A phone whose radio is gone must look offline, so that the service keeps or moves its messages. */
  private setRadioProblem(problem: string | undefined): void {
    if (this.stopped) return;
    const wasGone = this.isRadioGone;
    this.radioIsGone = problem !== undefined;
    this.listener.radioProblem(problem);
    if (problem !== undefined) this.stream.drop();
    else if (wasGone)
      void this.beat().then(() => {
        this.openStream();
      });
  }

  private radioListener(sender: RadioListener): MachineRadioListener {
    return {
      attempted: (attempt, at) => {
        sender.attempted(attempt, at);
      },
      ended: (attempt, result) => {
        sender.ended(attempt, result);
      },
      delivered: (smsId, at) => {
        sender.delivered(smsId, at);
      },
      deliveryFailed: (smsId, at, reason) => {
        sender.deliveryFailed(smsId, at, reason);
      },
      unconfirmed: (smsId) => {
        sender.unconfirmed(smsId);
      },
      inDoubt: (smsId) => {
        sender.inDoubt(smsId);
      },
      received: (sms) => this.uploadReceived(sms),
      factsChanged: () => {
        void this.beat();
      },
      availabilityChanged: (problem) => {
        this.setRadioProblem(problem);
      },
      failure: (message) => {
        this.listener.failure(message);
      },
    };
  }

  private reportFailure(error: unknown): void {
    if (!this.stopped) this.listener.failure(error instanceof Error ? error.message : String(error));
  }

  private streamListener(): ConstructorParameters<typeof SmsStream>[1] {
    const { listener } = this;
    return {
      opened: () => {
        listener.streamOpen();
      },
      closed: (reason) => {
        listener.streamClosed(reason);
      },
      refused: (status) => {
        listener.streamRefused(status);
      },
      command: (command) => {
        this.sender.take(command);
      },
      cancel: (smsIds) => {
        for (const smsId of smsIds) this.sender.cancel(smsId);
      },
      heartbeatCheck: () => {
        void this.beat();
      },
      malformed: (data) => {
        listener.failure(`invalid sms event on the stream: ${data.slice(0, 200)}`);
      },
    };
  }
}
