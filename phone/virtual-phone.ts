import { randomUUID } from 'node:crypto';
import { heartbeatBody, registrationBody, type HandsetOptions } from './handset';
import { incomingSms } from './incoming-sms';
import { Phone } from './phone';
import { NO_FAULTS, type PhoneFaults } from './phone-faults';
import type { VirtualPhoneOptions } from './phone-options';
import type { MachineRadioListener } from './radio';
import type { ReportResult } from './report-outbox';
import { seededRandom } from './sims/seeded-random';
import { SimCard } from './sims/sim-card';
import { SimSlots, type SimPlace, type SimSlot } from './sims/sim-slots';
import { VirtualRadio, type VirtualRadioOptions } from './virtual-radio';
import type { RegisteredDevice } from './wire';

const DEFAULT_SEND_DELAY_SECONDS = 5;
/** Far apart, so that the phones of a test with consecutive seeds differ in everything. */
const SIM_SEED = 1_000_003;
const LIE_SEED = 500_009;

/** A simulated phone that behaves like the Android app, with any number of SIMs and with faults. */
export class VirtualPhone extends Phone {
  /** Can be changed at any time. */
  readonly faults: PhoneFaults;
  private readonly serial: string;
  private readonly slots: SimSlots;
  private readonly radio: VirtualRadioOptions;
  /** The radio of the running session. */
  private current: VirtualRadio | undefined;
  private fcmToken: string | undefined;
  private frozen = false;
  /** Pushes that FCM keeps for a phone that does not take them. */
  private heldPushes: Readonly<Record<string, unknown>>[] = [];
  protected readonly reportsSim: boolean;

  /**
   * @throws TypeError for an invalid `baseUrl`; Error for two SIMs in one place; an error of the file system for an
   * unreadable ledger.
   */
  constructor(private readonly options: VirtualPhoneOptions) {
    super(options);
    this.reportsSim = options.sims !== undefined;
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

  override async start(): Promise<RegisteredDevice> {
    this.frozen = false;
    const device = await super.start();
    this.takeHeldPushes();
    return device;
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
    this.requireSession();
    this.current?.answerConfirmations(isAllowed);
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

  protected override usesStream(): boolean {
    return !this.usesFcm;
  }

  protected override answerDelaySeconds(): number {
    return this.faults.answerDelaySeconds;
  }

  protected createRadio(listener: MachineRadioListener): VirtualRadio {
    this.current = new VirtualRadio(this.radio, listener);
    return this.current;
  }

  protected registration(): Record<string, unknown> {
    return registrationBody(this.handset);
  }

  protected facts(): Record<string, unknown> {
    return heartbeatBody(this.handset);
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
