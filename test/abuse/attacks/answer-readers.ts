import { request } from 'node:http';

/** What readers of large answers have had so far. */
export interface ReadersReport {
  /** Whether each reader has a first answer. */
  readonly areAllReading: boolean;
  /** Answers by status; `none` for connections that ended without one. */
  readonly answers: Readonly<Record<string, number>>;
  /** Answers that were read to their end, and those that broke off. */
  readonly whole: number;
  readonly broken: number;
  readonly megabytes: number;
}

export interface ReadersOrder {
  readonly url: string;
  readonly apiKey: string;
  /** One for each reader. */
  readonly paths: readonly string[];
  /** `read` reads again and again, `leave` goes after the first bytes, again and again; `stall` never reads. */
  readonly kind: 'read' | 'leave' | 'stall';
}

const REPORT_EVERY_MS = 200;

/** Stays below the rate limit of the key, whatever is answered. */
const PAUSE_MS = 250;

/** Reads answers from a program of its own, so that it slows nobody's clock; ends when its parent disconnects. */
function readAnswers({ url, apiKey, paths, kind }: ReadersOrder): void {
  const answers: Record<string, number> = {};
  let [whole, broken, bytes, reading] = [0, 0, 0, 0];

  const readOnce = (path: string, isFirst: boolean) =>
    new Promise<void>((resolve) => {
      let isCounted = false;
      const count = (status: string) => {
        if (isCounted) return;
        isCounted = true;
        answers[status] = (answers[status] ?? 0) + 1;
        if (isFirst) reading += 1;
      };
      const call = request(
        `${url}/api/v1${path}`,
        { agent: false, headers: { 'x-api-key': apiKey } },
        (answer) => {
          count(String(answer.statusCode));
          answer.once('close', () => {
            if (answer.complete) whole += 1;
            else broken += 1;
            resolve();
          });
          answer.once('error', () => undefined);
          if (kind === 'stall') return;
          answer.on('data', (data: Buffer) => {
            bytes += data.length;
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

  const readOn = async (path: string) => {
    for (let isFirst = true; ; isFirst = false) {
      await readOnce(path, isFirst);
      if (kind === 'stall') return;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  };
  for (const path of paths) void readOn(path);
  setInterval(() => {
    const megabytes = Math.round(bytes / 1_000_000);
    const areAllReading = reading === paths.length;
    process.send?.({ areAllReading, answers, whole, broken, megabytes } satisfies ReadersReport);
  }, REPORT_EVERY_MS);
}

process.once('message', (order) => {
  readAnswers(order as ReadersOrder);
});
process.once('disconnect', () => process.exit(0));
