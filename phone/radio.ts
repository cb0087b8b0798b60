import { Timers } from './timers';
import type { SmsCommand } from './wire';

/** The simulated outcome of a message: confirmed by the carrier, not confirmed, or refused by the radio. */
export type Fate = 'delivered' | 'sent' | 'failed';

export interface RadioOptions {
  readonly sendDelaySeconds: number;
  /** Share of messages that the radio refuses, 0 to 1. */
  readonly failureRate: number;
  /** Null for a carrier that never confirms. */
  readonly deliveryDelaySeconds: number | null;
  /** Called once per message, in the order in which they are sent. */
  readonly random: () => number;
}

export interface RadioListener {
  /** Called before the outcome. */
  onAir(command: SmsCommand, fate: Fate, at: number): void;
  sent(smsId: string, at: number): void;
  failed(smsId: string, at: number): void;
  delivered(smsId: string, at: number): void;
}

/** Without a send delay, the phone yields after this many messages. */
const MAX_BURST = 50;

/** The send queue of a phone, one message per send delay. */
export class Radio {
  private readonly queueTimers = new Timers();
  private readonly carrierTimers = new Timers();
  private queue: SmsCommand[] = [];
  private waiting = false;
  private stopped = false;
  private freeAt = 0;
  private unconfirmed = 0;

  constructor(
    private readonly options: RadioOptions,
    private readonly listener: RadioListener,
  ) {}

  get queued(): number {
    return this.queue.length;
  }

  get awaitingCarrier(): number {
    return this.unconfirmed;
  }

  send(command: SmsCommand): void {
    if (this.stopped) return;
    this.queue.push(command);
    this.sendNext();
  }

  /** @returns false if the message is not queued. */
  remove(smsId: string): boolean {
    const left = this.queue.filter((command) => command.smsId !== smsId);
    const isRemoved = left.length < this.queue.length;
    this.queue = left;
    return isRemoved;
  }

  /** Confirms a message that was sent before a restart. */
  awaitDelivery(smsId: string, sentAt: number): void {
    const { deliveryDelaySeconds } = this.options;
    if (deliveryDelaySeconds === null) return;
    this.unconfirmed += 1;
    const wait = Math.max(0, sentAt + deliveryDelaySeconds * 1000 - Date.now());
    this.carrierTimers.after(wait, () => {
      this.unconfirmed -= 1;
      this.listener.delivered(smsId, Date.now());
    });
  }

  /** Delivery reports continue. */
  stopSending(): void {
    this.stopped = true;
    this.queue = [];
    this.queueTimers.clear();
  }

  stop(): void {
    this.stopSending();
    this.carrierTimers.clear();
    this.unconfirmed = 0;
  }

  private sendNext(): void {
    if (this.waiting) return;
    for (let burst = 0; burst < MAX_BURST && Date.now() >= this.freeAt; burst += 1) {
      const command = this.queue.shift();
      if (command === undefined) return;
      this.freeAt = Date.now() + this.options.sendDelaySeconds * 1000;
      this.putOnAir(command);
    }
    if (this.queue.length === 0) return;
    this.waiting = true;
    this.queueTimers.after(Math.max(0, this.freeAt - Date.now()), () => {
      this.waiting = false;
      this.sendNext();
    });
  }

  private putOnAir(command: SmsCommand): void {
    const fate = this.drawFate();
    const at = Date.now();
    this.listener.onAir(command, fate, at);
    if (fate === 'failed') {
      this.listener.failed(command.smsId, at);
      return;
    }
    this.listener.sent(command.smsId, at);
    if (fate === 'delivered') this.awaitDelivery(command.smsId, at);
  }

  private drawFate(): Fate {
    // Always one draw per message, so that a seed gives the same outcomes.
    if (this.options.random() < this.options.failureRate) return 'failed';
    return this.options.deliveryDelaySeconds === null ? 'sent' : 'delivered';
  }
}
