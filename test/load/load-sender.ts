import type { ApiClient } from '../chaos/api-client';
import type { SendEvidence } from '../chaos/evidence';
import type { Meter } from './meter';

/** Sends single messages from each phone in turn. */
export class LoadSender {
  readonly sends: SendEvidence[] = [];

  constructor(
    private readonly api: ApiClient,
    private readonly baseUrl: string,
    private readonly devices: readonly string[],
    private readonly meter: Meter,
    private readonly onError: (error: string) => void,
  ) {}

  /** Sends one message without retries. @param dueAt the scheduled time (`performance.now()`). */
  async send(number: number, dueAt: number): Promise<void> {
    const device = this.devices[number % this.devices.length] ?? '';
    const recipient = `+49151${String(number).padStart(8, '0')}`;
    const text = `Load ${number}`;
    const key = `load-${number}`;
    const batches: string[] = [];
    this.sends.push({ key, device, text, recipients: [recipient], batches });
    this.meter.sendStarted(recipient, dueAt);
    try {
      const { smsBatchId } = await this.api.data<{ smsBatchId: string }>(this.baseUrl, {
        method: 'POST',
        path: 'gateway/send-sms',
        body: { deviceId: device, message: text, recipients: [recipient] },
        idempotencyKey: key,
      });
      batches.push(smsBatchId);
      this.meter.sendAnswered(dueAt);
    } catch (failure) {
      this.meter.sendFailed();
      this.onError(`send ${key} was not accepted: ${String(failure)}`);
    }
  }
}
