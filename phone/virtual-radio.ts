import type { Radio, RadioListener } from './radio';
import { SEND_ERRORS, type SendError } from './send-error';
import { SimRadio, type SimRadioListener, type SimRadioOptions } from './sim-radio';
import { countParts } from './sims/message-parts';
import type { SimSlot } from './sims/sim-slots';
import { Timers } from './timers';
import type { SmsCommand } from './wire';

export interface VirtualRadioOptions extends SimRadioOptions {
  readonly sendDelaySeconds: number;
}

/** Without a send delay, the phone yields after this many messages. */
const MAX_BURST = 50;

/** The simulated radio of a phone: one message per send delay, each by the radio of its SIM. */
export class VirtualRadio implements Radio {
  private readonly queueTimers = new Timers();
  private readonly carrierTimers = new Timers();
  private readonly sims = new Map<SimSlot, SimRadio>();
  private readonly simListener: SimRadioListener;
  private queue: SmsCommand[] = [];
  private waiting = false;
  private paused = false;
  private stopped = false;
  private freeAt = 0;

  constructor(
    private readonly options: VirtualRadioOptions,
    private readonly listener: Pick<RadioListener, 'attempted' | 'ended' | 'delivered'>,
  ) {
    this.simListener = {
      attempted: (attempt, at) => {
        listener.attempted(attempt, at);
      },
      ended: (attempt, result) => {
        listener.ended(attempt, result);
        const { command, slot } = attempt;
        if (result.fate === 'delivered') this.awaitDelivery(command.smsId, result.at, slot?.subscriptionId);
      },
      returned: (command) => {
        this.handOver(command);
      },
    };
  }

  get isIdle(): boolean {
    return this.queued === 0 && this.awaitingConfirmation === 0 && this.isQuiet;
  }

  get isQuiet(): boolean {
    return this.transmitting === 0 && this.awaitingCarrier === 0;
  }

  get queued(): number {
    return this.queue.length + this.sum((sim) => sim.queued);
  }

  get transmitting(): number {
    return this.sum((sim) => Number(sim.isTransmitting));
  }

  /** Messages beyond Android's limit that wait for a person. */
  get awaitingConfirmation(): number {
    return this.sum((sim) => sim.awaitingConfirmation);
  }

  get awaitingCarrier(): number {
    return this.carrierTimers.size;
  }

  send(command: SmsCommand): void {
    if (this.stopped) return;
    this.queue.push(command);
    this.sendNext();
  }

  remove(smsId: string): boolean {
    const length = this.queue.length;
    this.queue = this.queue.filter((command) => command.smsId !== smsId);
    return this.queue.length < length || [...this.sims.values()].some((sim) => sim.remove(smsId));
  }

  withdraw(): Promise<boolean> {
    return Promise.resolve(false);
  }

  /** The phone died while Android had the message. */
  recover(): 'failed' {
    return 'failed';
  }

  awaitDelivery(smsId: string, sentAt: number, subscriptionId: number | undefined): void {
    const { slots } = this.options;
    const slot = (subscriptionId === undefined ? undefined : slots.find(subscriptionId)) ?? slots.default;
    const delaySeconds = slot?.card.deliveryDelaySeconds ?? null;
    if (delaySeconds === null) return;
    const wait = Math.max(0, sentAt + delaySeconds * 1000 - Date.now());
    this.carrierTimers.after(wait, () => {
      this.listener.delivered(smsId, Date.now());
    });
  }

  /** A person allows or denies the messages that wait for confirmation. */
  answerConfirmations(isAllowed: boolean): void {
    for (const sim of this.sims.values()) sim.answerConfirmations(isAllowed);
  }

  pause(): void {
    this.paused = true;
    for (const sim of this.sims.values()) sim.pause();
  }

  resume(): void {
    this.paused = false;
    for (const sim of this.sims.values()) sim.resume();
    this.sendNext();
  }

  stopSending(): void {
    this.stopped = true;
    this.queue = [];
    this.queueTimers.clear();
    for (const sim of this.sims.values()) sim.stopSending();
  }

  stop(): void {
    this.stopSending();
    for (const sim of this.sims.values()) sim.stop();
    this.carrierTimers.clear();
  }

  private sendNext(): void {
    if (this.waiting || this.paused) return;
    for (let burst = 0; burst < MAX_BURST && Date.now() >= this.freeAt; burst += 1) {
      const command = this.queue.shift();
      if (command === undefined) return;
      this.freeAt = Date.now() + this.options.sendDelaySeconds * 1000;
      this.handOver(command);
    }
    if (this.queue.length === 0) return;
    this.waiting = true;
    this.queueTimers.after(Math.max(0, this.freeAt - Date.now()), () => {
      this.waiting = false;
      this.sendNext();
    });
  }

  private handOver(command: SmsCommand): void {
    if (command.validUntil !== undefined && Date.now() >= Date.parse(command.validUntil)) {
      this.fail(command, SEND_ERRORS.EXPIRED);
      return;
    }
    const { slots } = this.options;
    const slot = slots.route(command.simSubscriptionId);
    if (slot !== undefined) this.simRadioOf(slot).send(command);
    else
      this.fail(command, slots.default === undefined ? SEND_ERRORS.NO_SERVICE : SEND_ERRORS.GENERIC_FAILURE);
  }

  private simRadioOf(slot: SimSlot): SimRadio {
    let sim = this.sims.get(slot);
    if (sim === undefined) {
      sim = new SimRadio(slot, this.options, this.simListener);
      this.sims.set(slot, sim);
    }
    return sim;
  }

  private fail(command: SmsCommand, error: SendError): void {
    const attempt = { command, parts: countParts(command.message) };
    const at = Date.now();
    this.listener.attempted(attempt, at);
    this.listener.ended(attempt, { fate: 'failed', at, partTimes: [], error, dropped: false });
  }

  private sum(countOf: (sim: SimRadio) => number): number {
    return [...this.sims.values()].reduce((sum, sim) => sum + countOf(sim), 0);
  }
}
