import type { PhoneFaults } from './phone-faults';
import type { SendAttempt, SendResult } from './radio';
import { SEND_ERRORS, type SendError } from './send-error';
import { Timers } from './timers';
import type { SmsCommand } from './wire';
import type { CarrierRejection } from './sims/carrier';
import { countParts } from './sims/message-parts';
import type { SimSlot, SimSlots } from './sims/sim-slots';
import { SmsUsageMonitor } from './sims/sms-usage-monitor';

export interface SimRadioListener {
  /** Called before anything is on the air. */
  attempted(attempt: SendAttempt, at: number): void;
  /** Called once for each attempt, also when the radio is stopped. */
  ended(attempt: SendAttempt, result: SendResult): void;
  /** The SIM was taken out before the message was attempted. */
  returned(command: SmsCommand): void;
}

/** What the radios of a phone share. */
export interface SimRadioOptions {
  readonly slots: SimSlots;
  /** Android's limit for each SIM; null for none. */
  readonly partsPerMinute: number | null;
  /** Seconds until a person confirms a message beyond the limit; null for nobody. */
  readonly confirmationSeconds: number | null;
  readonly faults: Readonly<PhoneFaults>;
  /** Called once per message on the air if the phone lies. */
  readonly lieRandom: () => number;
}

/** Android's `MO_MSG_QUEUE_LIMIT`. */
const MAX_AWAITING_CONFIRMATION = 5;

interface Sending extends SendAttempt {
  readonly partTimes: number[];
  /** The part that the radio refuses, from 0; -1 for none. */
  readonly failingPart: number;
  attemptedParts: number;
  error?: SendError;
  rejection?: CarrierRejection;
  dropped: boolean;
}

/** The radio of one SIM: Android's limit, the time on the air of each part, and the answer of the network. */
export class SimRadio {
  private readonly timers = new Timers();
  private readonly usage: SmsUsageMonitor;
  private queue: SmsCommand[] = [];
  private readonly awaitingPerson = new Set<Sending>();
  private confirmed: Sending[] = [];
  private current: Sending | undefined;
  private paused = false;

  constructor(
    private readonly slot: SimSlot,
    private readonly phone: SimRadioOptions,
    private readonly listener: SimRadioListener,
  ) {
    this.usage = new SmsUsageMonitor(phone.partsPerMinute);
  }

  get queued(): number {
    return this.queue.length;
  }

  get awaitingConfirmation(): number {
    return this.awaitingPerson.size;
  }

  get isTransmitting(): boolean {
    return this.current !== undefined || this.confirmed.length > 0;
  }

  send(command: SmsCommand): void {
    this.queue.push(command);
    this.sendNext();
  }

  /** @returns false if the message is not queued. */
  remove(smsId: string): boolean {
    const length = this.queue.length;
    this.queue = this.queue.filter((command) => command.smsId !== smsId);
    return this.queue.length < length;
  }

  /** Ends the wait of messages beyond Android's limit. */
  answerConfirmations(isAllowed: boolean): void {
    for (const sending of this.awaitingPerson) this.answerConfirmation(sending, isAllowed);
    this.sendNext();
  }

  /** The message on the air continues. */
  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
    this.sendNext();
  }

  /** Forgets queued messages. The message on the air continues. */
  stopSending(): void {
    this.queue = [];
  }

  /** Attempts without a result fail, with the parts that are on the air. */
  stop(): void {
    this.stopSending();
    this.timers.clear();
    const open = [this.current, ...this.confirmed, ...this.awaitingPerson];
    this.current = undefined;
    this.confirmed = [];
    this.awaitingPerson.clear();
    for (const sending of open) if (sending) this.finish(sending, SEND_ERRORS.GENERIC_FAILURE);
  }

  private sendNext(): void {
    while (!this.paused && this.current === undefined) {
      const sending = this.confirmed.shift() ?? this.attemptNext();
      if (sending === undefined) return;
      this.current = sending;
      this.transmit(sending);
    }
  }

  /** @returns the next message that Android allows. */
  private attemptNext(): Sending | undefined {
    for (;;) {
      const command = this.queue.shift();
      if (command === undefined) return undefined;
      if (!this.phone.slots.has(this.slot)) {
        this.listener.returned(command);
        continue;
      }
      const sending = this.attempt(command);
      if (!this.phone.faults.smsPermission) this.finish(sending, SEND_ERRORS.PERMISSION_DENIED);
      else if (this.usage.allows(sending.parts, Date.now())) return sending;
      else this.askForConfirmation(sending);
    }
  }

  private attempt(command: SmsCommand): Sending {
    const { slot } = this;
    const parts = countParts(command.message);
    // Always one draw per message, so that a seed gives the same outcomes.
    const draw = slot.card.random();
    const { failureRate } = slot.card;
    const failingPart = draw < failureRate ? Math.floor((draw / failureRate) * parts) : -1;
    const sending: Sending = {
      command,
      parts,
      slot,
      partTimes: [],
      failingPart,
      attemptedParts: 0,
      dropped: false,
    };
    this.listener.attempted(sending, Date.now());
    return sending;
  }

  private askForConfirmation(sending: Sending): void {
    if (this.awaitingPerson.size >= MAX_AWAITING_CONFIRMATION) {
      this.finish(sending, SEND_ERRORS.LIMIT_EXCEEDED);
      return;
    }
    this.awaitingPerson.add(sending);
    const { confirmationSeconds } = this.phone;
    if (confirmationSeconds === null) return;
    this.timers.after(confirmationSeconds * 1000, () => {
      if (this.awaitingPerson.has(sending)) this.answerConfirmation(sending, true);
      this.sendNext();
    });
  }

  private answerConfirmation(sending: Sending, isAllowed: boolean): void {
    this.awaitingPerson.delete(sending);
    if (isAllowed) this.confirmed.push(sending);
    else this.finish(sending, SEND_ERRORS.LIMIT_EXCEEDED);
  }

  private transmit(sending: Sending): void {
    const { card } = this.slot;
    const error = this.serviceError();
    if (error !== undefined) {
      this.end(sending, error);
      return;
    }
    sending.rejection = card.carrier.admit(sending.command.recipients[0], Date.now());
    if (card.secondsPerPart > 0) {
      this.transmitPartLater(sending);
      return;
    }
    while (sending.attemptedParts < sending.parts) this.transmitPart(sending);
    this.end(sending);
  }

  private transmitPartLater(sending: Sending): void {
    this.timers.after(this.slot.card.secondsPerPart * 1000, () => {
      this.transmitPart(sending);
      if (sending.attemptedParts < sending.parts) {
        this.transmitPartLater(sending);
        return;
      }
      this.end(sending);
      this.sendNext();
    });
  }

  /** As in Android, a failed part does not stop the others. */
  private transmitPart(sending: Sending): void {
    const rejection = this.slot.card.carrier.block ?? sending.rejection;
    const isRefused = sending.attemptedParts === sending.failingPart || rejection === 'fail';
    const error = this.serviceError() ?? (isRefused ? SEND_ERRORS.GENERIC_FAILURE : undefined);
    sending.attemptedParts += 1;
    sending.error ??= error;
    if (error !== undefined) return;
    sending.partTimes.push(Date.now());
    if (rejection === 'drop') sending.dropped = true;
  }

  private serviceError(): SendError | undefined {
    if (this.phone.faults.airplaneMode) return SEND_ERRORS.RADIO_OFF;
    if (!this.phone.slots.has(this.slot)) return SEND_ERRORS.NO_SERVICE;
    switch (this.slot.card.service) {
      case 'available':
        return undefined;
      case 'none':
        return SEND_ERRORS.NO_SERVICE;
      case 'off':
        return SEND_ERRORS.RADIO_OFF;
    }
  }

  private end(sending: Sending, error = sending.error): void {
    this.current = undefined;
    const { faults, lieRandom } = this.phone;
    const lies = error === undefined && faults.lieRate > 0 && lieRandom() < faults.lieRate;
    this.finish(sending, lies ? faults.lieError : error);
  }

  private finish(sending: Sending, error: SendError | undefined): void {
    const { partTimes, dropped } = sending;
    const isConfirmed = !dropped && this.slot.card.deliveryDelaySeconds !== null;
    const fate = error !== undefined ? 'failed' : isConfirmed ? 'delivered' : 'sent';
    this.listener.ended(sending, { fate, at: Date.now(), partTimes, error, dropped });
  }
}
