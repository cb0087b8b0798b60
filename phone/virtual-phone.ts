import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from './backoff';
import { heartbeatBody, incomingSms, registrationBody, type HandsetOptions } from './handset';
import { RequestError } from './json-client';
import { PhoneApi } from './phone-api';
import type { AirRecord, VirtualPhoneEvents } from './phone-events';
import type { VirtualPhoneOptions } from './phone-options';
import { PhoneSession, type SessionListener } from './phone-session';
import { NO_FAULTS, type PhoneFaults } from './phone-faults';
import type { RadioOptions } from './radio';
import type { ReportResult } from './report-outbox';
import { seededRandom } from './seeded-random';
import { SentLedger } from './sent-ledger';
import { PhoneCounters, type PhoneCounts } from './phone-counters';
import { SimCard } from './sims/sim-card';
import type { SendAttempt, SendResult } from './sims/sim-radio';
import { SimSlots, type SimPlace, type SimSlot } from './sims/sim-slots';
import type { RegisteredDevice } from './wire';

const DEFAULT_SEND_DELAY_SECONDS = 5;
/** Far apart, so that the phones of a test with consecutive seeds differ in everything. */
const SIM_SEED = 1_000_003;
const LIE_SEED = 500_009;

/** A simulated phone that behaves like the Android app, with any number of SIMs and with faults. */
export class VirtualPhone extends EventEmitter<VirtualPhoneEvents> {
  /** For tests that send unusual requests. */
  readonly api: PhoneApi;
  /** Can be changed at any time. */
  readonly faults: PhoneFaults;
  private readonly serial: string;
  private readonly slots: SimSlots;
  private readonly radio: RadioOptions;
  private fcmToken: string | undefined;
  private frozen = false;
  /** Pushes that FCM keeps for a phone that does not take them. */
  private heldPushes: Readonly<Record<string, unknown>>[] = [];
  private readonly ledger: SentLedger;
  private readonly counters = new PhoneCounters();
  private readonly air: AirRecord[] = [];
  private device: RegisteredDevice | undefined;
  private session: PhoneSession | undefined;
  private running: AbortController | undefined;
  private refusedStatus: number | undefined;

  /**
   * @throws TypeError for an invalid `baseUrl`; Error for two SIMs in one place; an error of the file system for an
   * unreadable ledger.
   */
  constructor(private readonly options: VirtualPhoneOptions) {
    super();
    this.api = new PhoneApi(options);
    this.ledger = new SentLedger(options.ledger);
    this.serial = options.serial ?? `virtual-${randomUUID()}`;
    this.fcmToken = options.fcmToken;
    this.faults = { ...NO_FAULTS, ...options.faults };
    this.slots = slotsOf(options);
    this.radio = {
      slots: this.slots,
      sendDelaySeconds: options.sendDelaySeconds ?? DEFAULT_SEND_DELAY_SECONDS,
      partsPerMinute: options.partsPerMinute ?? null,
      confirmationSeconds: options.confirmationSeconds ?? null,
      faults: this.faults,
      lieRandom: options.seed === undefined ? Math.random : seededRandom(options.seed + LIE_SEED),
    };
  }

  /** @throws Error before the registration. */
  get deviceId(): string {
    if (this.device === undefined) throw new Error('the virtual phone is not registered yet');
    return this.device._id;
  }

  get counts(): Readonly<PhoneCounts> {
    return this.counters.counts;
  }

  /** By slot. */
  get sims(): readonly SimSlot[] {
    return this.slots.all;
  }

  /** @throws Error for an unknown id. */
  sim(subscriptionId: number): SimCard {
    return this.slots.require(subscriptionId).card;
  }

  /**
   * Takes a SIM out, also while the phone runs. Its messages that Android does not have yet go out by the default SIM,
   * or fail if they name it. The service learns it with the next heartbeat. @throws Error for an unknown id.
   */
  removeSim(subscriptionId: number): SimCard {
    return this.slots.remove(subscriptionId);
  }

  /**
   * The service learns it with the next heartbeat.
   * @param place by default the lowest free slot, and the id that the SIM had in this phone or the next one.
   * @throws Error if the slot, the id or the SIM is in use.
   */
  insertSim(card: SimCard, place?: Partial<SimPlace>): SimSlot {
    return this.slots.insert(card, place);
  }

  /** The messages that Android got, oldest first (see `airLogLimit`). */
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
    if (this.running !== undefined) throw new Error('the virtual phone is already running');
    const running = new AbortController();
    this.running = running;
    this.frozen = false;
    this.refusedStatus = undefined;
    const deadline = Date.now() + (this.options.startTimeoutMs ?? 60_000);
    try {
      const device = await this.register(deadline, running.signal);
      this.device = device;
      this.emit('registered', device);
      const session = this.sessionOf(device);
      this.session = session;
      await session.start();
      if (!this.usesFcm) await this.waitForStream(session, running.signal, deadline);
      this.takeHeldPushes();
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

  /** Receives an SMS and uploads it, with retries. @throws Error if the phone is off. */
  async receiveSms(sender: string, message: string, receivedAtInMillis = Date.now()): Promise<ReportResult> {
    const sms = incomingSms(sender, message, receivedAtInMillis);
    const end = await this.requireSession().upload(sms);
    if (end === 'taken') {
      this.counters.add('received');
      this.emit('received', sms);
    } else if (end === 'refused') {
      this.counters.add('refused');
    }
    return end;
  }

  /** Sends a heartbeat; a failure emits `failure`. @throws Error if the phone is off. */
  async heartbeat(): Promise<void> {
    await this.requireSession().beat();
  }

  /** Disconnects the stream until `openStream`. @throws Error if the phone is off. */
  dropStream(): void {
    this.requireSession().stream.drop();
  }

  openStream(): void {
    this.requireSession().stream.open();
  }

  /** Holds reports and uploads until `resumeReports`. @throws Error if the phone is off. */
  pauseReports(): void {
    this.requireSession().outbox.pause();
  }

  resumeReports(): void {
    this.requireSession().outbox.resume();
  }

  /** Holds acknowledgements until `resumeAcks`. @throws Error if the phone is off. */
  pauseAcks(): void {
    this.requireSession().acks.pause();
  }

  resumeAcks(): void {
    this.requireSession().acks.resume();
  }

  /** Stops sending and answering while the stream stays open, until `thaw`. @throws Error if the phone is off. */
  freeze(): void {
    this.requireSession().freeze();
    this.frozen = true;
  }

  thaw(): void {
    this.requireSession().thaw();
    this.frozen = false;
    this.takeHeldPushes();
  }

  /** A person allows or denies the messages beyond Android's limit. @throws Error if the phone is off. */
  answerConfirmations(isAllowed: boolean): void {
    this.requireSession().sender.radio.answerConfirmations(isAllowed);
  }

  /**
   * Takes a push of a fake FCM, or keeps it until the phone can take it.
   * @param data the data of the push. @returns false for another token: FCM responds with `UNREGISTERED`.
   */
  receivePush(token: string, data: Readonly<Record<string, unknown>>): boolean {
    if (token !== this.fcmToken) return false;
    this.heldPushes.push(data);
    this.takeHeldPushes();
    return true;
  }

  /** Invalidates the push token. */
  loseToken(): void {
    this.fcmToken = undefined;
  }

  /** Gets a new push token and tells the service. @throws RequestError */
  async renewToken(token: string): Promise<void> {
    this.fcmToken = token;
    await this.api.setPushToken(this.deviceId, token);
  }

  private takeHeldPushes(): void {
    if (this.session === undefined || this.frozen) return;
    for (const data of this.heldPushes.splice(0)) this.session.receivePush(data);
  }

  private get usesFcm(): boolean {
    return this.options.fcmToken !== undefined;
  }

  private get handset(): HandsetOptions {
    const { name = 'Virtual phone', receiveSmsEnabled = true, tellsSims = true } = this.options;
    return {
      name,
      serial: this.serial,
      sendDelaySeconds: this.radio.sendDelaySeconds,
      receiveSmsEnabled,
      sims: tellsSims ? this.slots.describe() : null,
      partsPerMinute: this.radio.partsPerMinute,
      pushTransport: this.usesFcm ? 'fcm' : 'stream',
      fcmToken: this.fcmToken,
    };
  }

  private requireSession(): PhoneSession {
    if (this.session === undefined) throw new Error('the virtual phone is not running');
    return this.session;
  }

  private async register(deadline: number, signal: AbortSignal): Promise<RegisteredDevice> {
    const backoff = new Backoff(250, 3_000);
    for (;;) {
      try {
        const device = await this.api.registerDevice(registrationBody(this.handset));
        signal.throwIfAborted();
        if (device.enabled || !this.options.switchOn) return device;
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
      session.stream.isOpen || this.refusedStatus !== undefined || signal.aborted;
    await this.counters.until('the stream', isSettled, Math.max(1, deadline - Date.now()));
    signal.throwIfAborted();
    if (!session.stream.isOpen) {
      throw new Error(
        `the service rejected the stream of device ${this.deviceId}: ${this.refusedStatus ?? 'no response'}`,
      );
    }
  }

  private sessionOf(device: RegisteredDevice): PhoneSession {
    const options = {
      api: this.api,
      device,
      ledger: this.ledger,
      radio: this.radio,
      stream: this.usesFcm ? undefined : (this.options.stream ?? {}),
      reportsSim: this.options.sims !== undefined,
      reportConcurrency: this.options.reportConcurrency,
      heartbeatFacts: () => heartbeatBody(this.handset),
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
      heartbeat: (answer) => {
        this.emit('heartbeat', answer);
        this.counters.add('heartbeats');
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
    const limit = this.options.airLogLimit ?? 100_000;
    this.air.push(record);
    // A margin of a tenth, so that the array is not shifted for each message.
    if (this.air.length > limit * 1.1) this.air.splice(0, this.air.length - limit);
    this.emit('onAir', record);
    this.counters.add('partsOnAir', result.partTimes.length);
    this.counters.add('onAir');
  }
}

/** The SIMs of the options; without a seed of their own, the first has that of the phone. */
function slotsOf(options: VirtualPhoneOptions): SimSlots {
  const { sims = [{ subscriptionId: 1, slot: 0 }], failureRate, deliveryDelaySeconds, seed } = options;
  const slots = new SimSlots({
    defaultId: options.defaultSim,
    ignoresUnknownIds: options.sims === undefined,
  });
  for (const [index, sim] of sims.entries()) {
    const simSeed = seed === undefined ? undefined : seed + index * SIM_SEED;
    slots.insert(new SimCard({ failureRate, deliveryDelaySeconds, seed: simSeed, ...sim }), sim);
  }
  return slots;
}

const COUNT_OF_STATUS = { SENT: 'sent', DELIVERED: 'delivered', FAILED: 'failed' } as const;
