import type { AppStorage, StoredSms } from './app-storage';
import { type AppTime, HOUR, MINUTE, SECOND } from './app-time';
import type { ListedMessage, SmsState } from './listed-message';
import { type PhoneHardware, refusalOf } from './phone-hardware';

const LIMIT_PERIODS = { Disabled: 0, PerMinute: MINUTE, PerHour: HOUR, PerDay: 24 * HOUR } as const;

/** From this priority on, an SMS skips the limit and the pauses of the app. */
const URGENT = 100;

/** Sends the stored SMS one by one, and stores what becomes of each. */
export class SmsSender {
  private isSending = false;

  constructor(
    private readonly storage: AppStorage,
    private readonly time: AppTime,
    private readonly phone: PhoneHardware,
    private readonly stopped: AbortSignal,
    private readonly onChange: (sms: StoredSms) => void,
  ) {}

  /** Stores a new SMS and queues it. */
  add(message: ListedMessage, state: 'Pending' | 'Cancelled' = 'Pending'): void {
    const sms: StoredSms = { ...message, state, states: {} };
    this.storage.sms.set(sms.id, sms);
    this.move(sms, state);
    void this.run();
  }

  /** Cancels it if it still waits in the phone. */
  cancel(sms: StoredSms): void {
    if (sms.state === 'Pending') this.move(sms, 'Cancelled');
  }

  /** Continues after a restart: what waits is sent, and the reports of Android for what was sent arrive. */
  resume(): void {
    for (const sms of this.storage.sms.values()) {
      if (sms.state === 'Processed' || sms.state === 'Sent') void this.await(sms);
    }
    void this.run();
  }

  private async run(): Promise<void> {
    if (this.isSending) return;
    this.isSending = true;
    for (let next = this.next(); next && !this.stopped.aborted; next = this.next()) {
      this.send(next);
      const { sendInterval = 0 } = this.storage.settings;
      const pause = next.priority >= URGENT ? 0 : Math.max(sendInterval * SECOND, this.untilLimitAllows());
      if (!(await this.time.wait(pause, this.stopped))) break;
    }
    this.isSending = false;
  }

  private next(): StoredSms | undefined {
    const waiting = [...this.storage.sms.values()].filter(({ state }) => state === 'Pending');
    const urgent = waiting.filter(({ priority }) => priority >= URGENT);
    return (urgent.length > 0 ? urgent : waiting).at(this.storage.settings.order === 'FIFO' ? 0 : -1);
  }

  private send(sms: StoredSms): void {
    const refusal = refusalOf(sms, this.phone);
    if (refusal !== undefined) {
      this.fail(sms, refusal);
      return;
    }
    for (const phoneNumber of sms.phoneNumbers) {
      this.storage.aired.push({
        id: sms.id,
        phoneNumber: phoneNumber.replace(/[^\d+*#]/g, ''),
        text: sms.text,
        simNumber: sms.simNumber,
        at: performance.now(),
      });
    }
    this.move(sms, 'Processed');
    void this.await(sms);
  }

  /** Waits for what Android reports of an SMS that has left the app. */
  private async await(sms: StoredSms): Promise<void> {
    const result = this.phone.radio(sms);
    if (result === 'silent') return;
    if (sms.state === 'Processed') {
      if (!(await this.time.wait(this.phone.sentAfter, this.stopped))) return;
      if (typeof result === 'object' && 'error' in result) {
        this.fail(sms, result.error);
        return;
      }
      this.move(sms, 'Sent');
    }
    if (result === 'sent' || !sms.withDeliveryReport) return;
    if (!(await this.time.wait(this.phone.deliveredAfter, this.stopped))) return;
    if (typeof result === 'object' && 'undelivered' in result)
      this.fail(sms, `Delivery result from SC +447700900000: ${result.undelivered}`);
    else this.move(sms, 'Delivered');
  }

  private fail(sms: StoredSms, error: string): void {
    sms.error = error;
    this.move(sms, 'Failed');
  }

  private move(sms: StoredSms, state: SmsState): void {
    sms.state = state;
    sms.states[state] = this.phone.now();
    this.onChange(sms);
  }

  /** Milliseconds until the limit of the settings lets another one leave. */
  private untilLimitAllows(): number {
    const { limitPeriod = 'Disabled', limitValue } = this.storage.settings;
    const period = LIMIT_PERIODS[limitPeriod];
    if (period === 0 || limitValue === undefined) return 0;
    const now = this.phone.now();
    const times = [...this.storage.sms.values()]
      .flatMap(({ states }) => states.Processed ?? [])
      .filter((time) => time > now - period);
    return times.length < limitValue ? 0 : Math.min(...times) + period - now;
  }
}
