import { LoopbackClient } from './loopback-client';

/** What the reader is to do: once for each message it gets. */
export interface ReadOrder {
  readonly url: string;
  readonly apiKey: string;
  readonly localAddress: string;
  readonly path: string;
  readonly seconds: number;
  readonly perSecond: number;
}

export interface ReadResult {
  /** Milliseconds of each read. */
  readonly times?: readonly number[];
  readonly failure?: string;
}

let client: LoopbackClient | undefined;

async function read({ url, apiKey, localAddress, path, seconds, perSecond }: ReadOrder): Promise<ReadResult> {
  client ??= new LoopbackClient(url, apiKey, localAddress);
  try {
    return { times: await client.readSteadily(path, seconds, perSecond) };
  } catch (failure) {
    return { failure: String(failure) };
  }
}

// A program of its own: whatever the attacker's does, this clock is right.
process.on('message', (order) => {
  void read(order as ReadOrder).then((result) => process.send?.(result));
});
process.once('disconnect', () => process.exit(0));
