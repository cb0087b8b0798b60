import type { Tenant } from '../../bench/tenant';
import { eventually } from '../support/eventually';
import { WebhookReceiver } from '../support/webhook-receiver';
import { callApi, readData } from './call';

const EVERY_MS = 250;
const SETTLE_LIMIT_MS = 30_000;

/** A tenant whose phone uploads a message four times a second, and whose endpoint notes when each event comes. */
export class EventPulse {
  /** When each upload was answered, by message. */
  private readonly uploaded = new Map<string, number>();
  private readonly uploads: Promise<void>[] = [];
  private readonly timer: NodeJS.Timeout;
  private failure: unknown;

  private constructor(
    private readonly receiver: WebhookReceiver,
    private readonly upload: () => Promise<string>,
  ) {
    this.timer = setInterval(() => {
      this.uploads.push(this.beat());
    }, EVERY_MS);
  }

  static async start(apiUrl: string, { apiKey, devices }: Tenant): Promise<EventPulse> {
    const receiver = await WebhookReceiver.start();
    const post = (path: string, body: object) =>
      readData<{ _id: string }>(callApi(apiUrl, apiKey, 'POST', path, body));
    await post('/webhooks', {
      deliveryUrl: receiver.url,
      signingSecret: 'a secret of twenty characters',
      events: ['MESSAGE_RECEIVED'],
    });
    let count = 0;
    return new EventPulse(receiver, async () => {
      const body = { sender: '+4915112345678', message: `Pulse ${count++}` };
      return (await post(`/gateway/devices/${String(devices[0])}/receive-sms`, body))._id;
    });
  }

  get count(): number {
    return this.uploaded.size;
  }

  /** Events that have not come. */
  get missing(): number {
    return this.uploaded.size - this.arrivals().size;
  }

  /** Times between an answer to an upload and its event, in milliseconds; of one that has not come, until now. */
  timesMs(): number[] {
    const arrivals = this.arrivals();
    const now = Date.now();
    return [...this.uploaded].map(([id, at]) => Math.max(0, (arrivals.get(id) ?? now) - at));
  }

  /** Ends the uploads and waits for the events that are on their way. @throws Error when an upload failed. */
  async settle(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.uploads);
    if (this.failure !== undefined)
      throw new Error('An upload of the other tenant failed', { cause: this.failure });
    await eventually(
      () => this.missing,
      (missing) => missing === 0,
      SETTLE_LIMIT_MS,
    ).catch(() => undefined); // it is part of the finding
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.uploads);
    await this.receiver.stop();
  }

  private arrivals(): Map<string, number> {
    return new Map(this.receiver.received.map(({ event, at }) => [event.smsId, at]));
  }

  private async beat(): Promise<void> {
    try {
      const id = await this.upload();
      this.uploaded.set(id, Date.now());
    } catch (failure) {
      this.failure ??= failure;
    }
  }
}
