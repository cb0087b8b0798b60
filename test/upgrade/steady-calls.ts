import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../support/eventually';
import type { ApiCall, ApiClient } from '../chaos/api-client';

/** So few that the account never has many requests in progress, however slow the machine is. */
const PROGRAMS = 4;
const PAUSE_MS = 100;
/** Of these, the first sends and the others read. */
const CALLS = ['send', 'stats', 'messages'] as const;

/** Programs that call the API, each with one call after the other, and repeat nothing. */
export class SteadyCalls {
  /** Calls without an answer of 2xx. */
  readonly failures: string[] = [];
  private readonly batches: string[] = [];
  private readonly open = new Map<string, number>();
  private readonly inRotation: Set<string>;
  private readonly running: Promise<unknown>;
  private callCount = 0;
  private isStopped = false;

  private constructor(
    private readonly api: ApiClient,
    urls: readonly string[],
    private readonly devices: readonly string[],
  ) {
    this.inRotation = new Set(urls);
    this.running = Promise.all(Array.from({ length: PROGRAMS }, () => this.run()));
  }

  /** @param urls of the processes that are called in turn. @param devices phones that send in turn. */
  static start(api: ApiClient, urls: readonly string[], devices: readonly string[]): SteadyCalls {
    return new SteadyCalls(api, urls, devices);
  }

  /** Calls a process no more, and waits until it has answered. */
  async leave(url: string): Promise<void> {
    this.inRotation.delete(url);
    await eventually(
      () => this.open.get(url) ?? 0,
      (count) => count === 0,
    );
  }

  enter(url: string): void {
    this.inRotation.add(url);
  }

  /** @returns the batches of all sends. */
  async stop(): Promise<readonly string[]> {
    this.isStopped = true;
    await this.running;
    return this.batches;
  }

  private async run(): Promise<void> {
    while (!this.isStopped) {
      this.callCount += 1;
      await this.call(this.callCount);
      await sleep(PAUSE_MS);
    }
  }

  private async call(number: number): Promise<void> {
    const urls = [...this.inRotation];
    const url = urls[number % urls.length] ?? '';
    const kind = CALLS[number % CALLS.length];
    this.open.set(url, (this.open.get(url) ?? 0) + 1);
    try {
      const { status, body } = await this.api.call(url, this.callOf(number));
      if (status < 200 || status > 299) this.failures.push(`${kind}: ${status} ${JSON.stringify(body)}`);
      else if (kind === 'send') this.batches.push((body as { data: { smsBatchId: string } }).data.smsBatchId);
    } catch (failure) {
      this.failures.push(`${kind}: ${String(failure)}`);
    }
    this.open.set(url, (this.open.get(url) ?? 0) - 1);
  }

  private callOf(number: number): ApiCall {
    const kind = CALLS[number % CALLS.length];
    if (kind !== 'send')
      return { method: 'GET', path: kind === 'stats' ? 'gateway/stats' : 'gateway/messages' };
    return {
      method: 'POST',
      path: 'gateway/send-sms',
      body: {
        deviceId: this.devices[number % this.devices.length],
        message: `Message ${number}`,
        recipients: [`+44770090${String(number).padStart(4, '0')}`],
      },
    };
  }
}
