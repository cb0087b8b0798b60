import { Timers } from './timers';
import type { SmsCommand } from './wire';

/** What becomes of a message on the air: the carrier confirms it, says nothing, or the radio refuses it. */
export type Fate = 'delivered' | 'sent' | 'failed';

export interface RadioOptions {
  /** Seconds between two messages, fractions allowed. */
  readonly sendDelaySeconds: number;
  /** The share of messages the radio refuses, 0 to 1. */
  readonly failureRate: number;
  /** Seconds until the carrier confirms a message; null for a carrier that never does. */
  readonly deliveryDelaySeconds: number | null;
  /** Decides the fates, one number a message, in the order in which they go on the air. */
  readonly random: () => number;
}

export interface RadioListener {
  /** The message goes on the air now. Called before any outcome of it. */
  onAir(command: SmsCommand, fate: Fate, at: number): void;
  sent(smsId: string, at: number): void;
  failed(smsId: string, at: number): void;
  delivered(smsId: string, at: number): void;
}

/** A delay of zero still gives way to the rest of the process after so many messages. */
const MAX_BURST = 50;

/** The send queue of a phone: one message at a time, its send delay between them. */
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

  /** Messages not yet on the air. */
  get queued(): number {
    return this.queue.length;
  }

  /** Messages on the air whose delivery report is still to come. */
  get awaitingCarrier(): number {
    return this.unconfirmed;
  }

  send(command: SmsCommand): void {
    if (this.stopped) return;
    this.queue.push(command);
    this.sendNext();
  }

  /** Takes a message off the queue. @returns false when it is not there. */
  remove(smsId: string): boolean {
    const left = this.queue.filter((command) => command.smsId !== smsId);
    const isRemoved = left.length < this.queue.length;
    this.queue = left;
    return isRemoved;
  }

  /** Lets the carrier confirm a message that was on the air before (a phone that was restarted meanwhile). */
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

  /** Puts nothing more on the air; delivery reports still arrive. */
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
    // One draw a message whatever the options are, so that a seed means the same fates in the same order.
    if (this.options.random() < this.options.failureRate) return 'failed';
    return this.options.deliveryDelaySeconds === null ? 'sent' : 'delivered';
  }
}
