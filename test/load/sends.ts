import type { ApiClient } from '../chaos/api-client';
import type { SendEvidence } from '../chaos/evidence';
import type { Meter } from './meter';

/** Makes the sends of a run, one message each, from phone to phone. */
export class Sends {
  readonly made: SendEvidence[] = [];

  constructor(
    private readonly api: ApiClient,
    private readonly baseUrl: string,
    private readonly devices: readonly string[],
    private readonly meter: Meter,
    private readonly onFault: (fault: string) => void,
  ) {}

  /** Makes one, asked for once: what is not answered with 200 is a fault. @param dueAt in `performance.now()` time. */
  async make(number: number, dueAt: number): Promise<void> {
    const device = this.devices[number % this.devices.length] ?? '';
    const recipient = `+49151${String(number).padStart(8, '0')}`;
    const text = `Load ${number}`;
    const key = `load-${number}`;
    const batches: string[] = [];
    this.made.push({ key, device, text, recipients: [recipient], batches });
    this.meter.begun(recipient, dueAt);
    try {
      const { smsBatchId } = await this.api.data<{ smsBatchId: string }>(this.baseUrl, {
        method: 'POST',
        path: 'gateway/send-sms',
        body: { deviceId: device, message: text, recipients: [recipient] },
        idempotencyKey: key,
      });
      batches.push(smsBatchId);
      this.meter.answered(dueAt);
    } catch (failure) {
      this.meter.failed();
      this.onFault(`send ${key} was not accepted: ${String(failure)}`);
    }
  }
}
