import { request } from 'node:http';

/** Progress of the readers. */
export interface ReadersReport {
  /** Whether each reader has received a first response. */
  readonly areAllReading: boolean;
  /** Responses by status; `none` for connections without one. */
  readonly statusCounts: Readonly<Record<string, number>>;
  /** Responses that were received completely, and those that were not. */
  readonly complete: number;
  readonly aborted: number;
  readonly megabytes: number;
}

export interface ReadersOptions {
  readonly url: string;
  readonly apiKey: string;
  /** One path for each reader. */
  readonly paths: readonly string[];
  /** `read` reads repeatedly, `leave` disconnects repeatedly after the first bytes, `stall` never reads. */
  readonly kind: 'read' | 'leave' | 'stall';
}

const REPORT_EVERY_MS = 200;

/** Keeps the readers below the rate limit of the key. */
const PAUSE_MS = 250;

/** Runs in a separate process, so that it does not delay the measurement; exits when the parent disconnects. */
function readResponses({ url, apiKey, paths, kind }: ReadersOptions): void {
  const statusCounts: Record<string, number> = {};
  let [complete, aborted, bytes, reading] = [0, 0, 0, 0];

  const readOnce = (path: string, isFirst: boolean) =>
    new Promise<void>((resolve) => {
      let isCounted = false;
      const count = (status: string) => {
        if (isCounted) return;
        isCounted = true;
        statusCounts[status] = (statusCounts[status] ?? 0) + 1;
        if (isFirst) reading += 1;
      };
      const call = request(
        `${url}/api/v1${path}`,
        { agent: false, headers: { 'x-api-key': apiKey } },
        (answer) => {
          count(String(answer.statusCode));
          answer.once('close', () => {
            if (answer.complete) complete += 1;
            else aborted += 1;
            resolve();
          });
          answer.once('error', () => undefined);
          if (kind === 'stall') return;
          answer.on('data', (chunk: Buffer) => {
            bytes += chunk.length;
            if (kind === 'leave') answer.destroy();
          });
        },
      );
      call.once('error', () => {
        count('none');
        resolve();
      });
      call.end();
    });

  const readRepeatedly = async (path: string) => {
    for (let isFirst = true; ; isFirst = false) {
      await readOnce(path, isFirst);
      if (kind === 'stall') return;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  };
  for (const path of paths) void readRepeatedly(path);
  setInterval(() => {
    const megabytes = Math.round(bytes / 1_000_000);
    const areAllReading = reading === paths.length;
    process.send?.({ areAllReading, statusCounts, complete, aborted, megabytes } satisfies ReadersReport);
  }, REPORT_EVERY_MS);
}

process.once('message', (options) => {
  readResponses(options as ReadersOptions);
});
process.once('disconnect', () => process.exit(0));
