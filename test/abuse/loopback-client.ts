import { Agent, request } from 'node:http';

/** All are opened before the attack. */
const MAX_CONNECTIONS = 8;

/** Measures reads of one tenant from a separate loopback address. */
export class LoopbackClient {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: MAX_CONNECTIONS });
  private readonly url: URL;

  constructor(
    url: string,
    private readonly apiKey: string,
    private readonly localAddress: string,
  ) {
    this.url = new URL(url);
  }

  /** @returns milliseconds. @throws Error unless the response is 200. */
  read(path: string): Promise<number> {
    const { hostname, port } = this.url;
    const startedAt = performance.now();
    return new Promise((resolve, reject) => {
      const call = request(
        {
          hostname,
          port,
          path,
          agent: this.agent,
          localAddress: this.localAddress,
          headers: { 'x-api-key': this.apiKey },
        },
        (answer) => {
          answer.resume().once('end', () => {
            if (answer.statusCode === 200) resolve(performance.now() - startedAt);
            else reject(new Error(`GET ${path} responded with ${answer.statusCode ?? 0}`));
          });
        },
      );
      call.once('error', reject);
      call.end();
    });
  }

  /** Reads at a steady rate, independent of the response times. @returns the milliseconds of each read. */
  async readSteadily(path: string, seconds: number, perSecond: number): Promise<number[]> {
    await Promise.all(Array.from({ length: MAX_CONNECTIONS }, () => this.read(path)));
    const reads: Promise<number>[] = [];
    const startedAt = performance.now();
    for (let index = 0; index < seconds * perSecond; index++) {
      const delayMs = startedAt + (index * 1_000) / perSecond - performance.now();
      if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
      const read = this.read(path);
      read.catch(() => undefined);
      reads.push(read);
    }
    return Promise.all(reads);
  }

  close(): void {
    this.agent.destroy();
  }
}

/** @param fraction such as 0.99. */
export function percentile(values: readonly number[], fraction: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * fraction) - 1)] ?? 0;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);
