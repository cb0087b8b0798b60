import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../support/eventually';
import type { ApiCall, ApiClient } from '../chaos/api-client';

const CALLS_PER_SECOND = 20;
/** Of these, the first sends and the others read. */
const CALLS = ['send', 'stats', 'messages'] as const;

/** A program that calls the API at a steady rate, regardless of the answers, and repeats nothing. */
export class SteadyCalls {
  /** Calls without an answer of 2xx. */
  readonly failures: string[] = [];
  private readonly batches: string[] = [];
  private readonly open = new Map<string, number>();
  private readonly inRotation: Set<string>;
  private readonly running: Promise<void>;
  private isStopped = false;

  private constructor(
    private readonly api: ApiClient,
    urls: readonly string[],
    private readonly devices: readonly string[],
  ) {
    this.inRotation = new Set(urls);
    this.running = this.run();
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
    const calls: Promise<void>[] = [];
    for (let number = 0; !this.isStopped; number += 1) {
      calls.push(this.call(number));
      await sleep(1_000 / CALLS_PER_SECOND);
    }
    await Promise.all(calls);
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
