import type { Tenant } from '../../bench/tenant';
import { eventually } from '../support/eventually';
import { WebhookReceiver } from '../support/webhook-receiver';
import { callApi, readData } from './api-calls';

const UPLOAD_INTERVAL_MS = 250;
const SETTLE_TIMEOUT_MS = 30_000;

/** Uploads a message four times a second as another tenant, and measures when its events arrive. */
export class EventLatencyMonitor {
  /** Times of the upload responses by message id. */
  private readonly uploadedAt = new Map<string, number>();
  private readonly uploads: Promise<void>[] = [];
  private readonly timer: NodeJS.Timeout;
  private failure: unknown;

  private constructor(
    private readonly receiver: WebhookReceiver,
    private readonly upload: () => Promise<string>,
  ) {
    this.timer = setInterval(() => {
      this.uploads.push(this.uploadOnce());
    }, UPLOAD_INTERVAL_MS);
  }

  static async start(apiUrl: string, { apiKey, devices }: Tenant): Promise<EventLatencyMonitor> {
    const receiver = await WebhookReceiver.start();
    const post = (path: string, body: object) =>
      readData<{ _id: string }>(callApi(apiUrl, apiKey, 'POST', path, body));
    await post('/webhooks', {
      deliveryUrl: receiver.url,
      signingSecret: 'a secret of twenty characters',
      events: ['MESSAGE_RECEIVED'],
    });
    let count = 0;
    return new EventLatencyMonitor(receiver, async () => {
      const body = { sender: '+4915112345678', message: `Message ${count++}` };
      return (await post(`/gateway/devices/${String(devices[0])}/receive-sms`, body))._id;
    });
  }

  get count(): number {
    return this.uploadedAt.size;
  }

  /** Number of events that have not arrived. */
  get missing(): number {
    return this.uploadedAt.size - this.arrivals().size;
  }

  /** Milliseconds from each upload to its event, or until now if it has not arrived. */
  latenciesMs(): number[] {
    const arrivals = this.arrivals();
    const now = Date.now();
    return [...this.uploadedAt].map(([id, at]) => Math.max(0, (arrivals.get(id) ?? now) - at));
  }

  /** Stops uploading and waits for pending events. @throws Error if an upload failed. */
  async finish(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.uploads);
    if (this.failure !== undefined)
      throw new Error('An upload of the other tenant failed', { cause: this.failure });
    await eventually(
      () => this.missing,
      (missing) => missing === 0,
      SETTLE_TIMEOUT_MS,
    ).catch(() => undefined); // `missing` reports them
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.uploads);
    await this.receiver.stop();
  }

  private arrivals(): Map<string, number> {
    return new Map(this.receiver.received.map(({ event, at }) => [event.smsId, at]));
  }

  private async uploadOnce(): Promise<void> {
    try {
      const id = await this.upload();
      this.uploadedAt.set(id, Date.now());
    } catch (failure) {
      this.failure ??= failure;
    }
  }
}
