import { LoopbackClient } from './loopback-client';

/** A message from the parent process. */
export interface ReadRequest {
  readonly url: string;
  readonly apiKey: string;
  readonly localAddress: string;
  readonly path: string;
  readonly seconds: number;
  readonly perSecond: number;
}

export interface ReadResult {
  /** The milliseconds of each read. */
  readonly times?: readonly number[];
  readonly failure?: string;
}

let client: LoopbackClient | undefined;

async function read({
  url,
  apiKey,
  localAddress,
  path,
  seconds,
  perSecond,
}: ReadRequest): Promise<ReadResult> {
  client ??= new LoopbackClient(url, apiKey, localAddress);
  try {
    return { times: await client.readSteadily(path, seconds, perSecond) };
  } catch (failure) {
    return { failure: String(failure) };
  }
}

// A separate process, so that the attacker does not delay the measurement.
process.on('message', (request) => {
  void read(request as ReadRequest).then((result) => process.send?.(result));
});
process.once('disconnect', () => process.exit(0));
