import { setTimeout as sleep } from 'node:timers/promises';

const TIMEOUT_MS = 10_000;
const RETRY_AFTER_MS = 500;

/** The owner of the phones, who repeats each call until it succeeds. */
export class AppOwner {
  constructor(
    private readonly baseUrl: string,
    private readonly apiKey: string,
    private readonly stopped: AbortSignal,
  ) {}

  /** Turns the pace of a phone off, which would make the run longer. */
  async unpace(device: string): Promise<void> {
    await this.data('PATCH', `gateway/devices/${device}`, { partsPerMinute: null, smsSendDelaySeconds: 0 });
  }

  async send(deviceId: string, recipients: readonly string[], key: string): Promise<void> {
    await this.data('POST', 'gateway/send-sms', { deviceId, recipients, message: `Message ${key}` }, key);
  }

  /** The texts that a phone has uploaded. */
  async receivedTexts(device: string): Promise<string[]> {
    const texts: string[] = [];
    for (let page = 1; ; page += 1) {
      const path = `gateway/devices/${device}/get-received-sms?limit=100&page=${page}`;
      const found = await this.data<{ message: string }[]>('GET', path);
      texts.push(...found.map(({ message }) => message));
      if (found.length < 100) return texts;
    }
  }

  private async data<T>(method: string, path: string, body?: object, key?: string): Promise<T> {
    for (;;) {
      const answer = await this.attempt(method, path, body, key).catch(() => undefined);
      if (answer?.ok) return ((await answer.json()) as { data: T }).data;
      if (answer && answer.status < 500 && answer.status !== 429 && answer.status !== 409)
        throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
      await sleep(RETRY_AFTER_MS, undefined, { signal: this.stopped });
    }
  }

  private attempt(method: string, path: string, body?: object, key?: string): Promise<Response> {
    return fetch(`${this.baseUrl}/api/v1/${path}`, {
      method,
      headers: {
        'x-api-key': this.apiKey,
        ...(body && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      body: body && JSON.stringify(body),
      signal: AbortSignal.any([this.stopped, AbortSignal.timeout(TIMEOUT_MS)]),
    });
  }
}
