import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import { TaskThrottle } from '../../task-throttle';

/** Total time that a JSON response may wait for its client. */
const CLIENT_TIMEOUT_MS = 120_000;

const MIN_CHUNK_CHARACTERS = 16 * 1024;

/** All streams of this process share it, so that other requests keep most of the event loop. */
const throttle = new TaskThrottle();

class ClientTooSlow extends Error {}

/**
 * Streams a JSON response that is too large to hold in memory; see `streamText`. The JSON streams of this process take turns.
 */
export function streamJson(
  parts: AsyncGenerator<string>,
  clientTimeoutMs = CLIENT_TIMEOUT_MS,
): Promise<StreamableFile> {
  const headers = { type: 'application/json; charset=utf-8' };
  return streamText(parts, headers, clientTimeoutMs, (task) => throttle.run(task));
}

/** Runs the building of a chunk, so that other requests get their share of the event loop. */
type TaskRunner = <Result>(task: () => Promise<Result>) => Promise<Result>;

/**
 * Streams a response that is too large to hold in memory, as fast as its client reads it. On a failure, or when the client is too slow, the connection is destroyed, so that the client cannot take an
 * incomplete response for a complete one.
 * @param parts of the text, in order. Closed with the connection.
 * @param headers content type and disposition.
 * @param clientTimeoutMs total time that the response may wait for its client.
 * @throws a failure of the first part, so that it becomes an ordinary error response.
 */
export async function streamText(
  parts: AsyncGenerator<string>,
  headers: { readonly type: string; readonly disposition?: string },
  clientTimeoutMs: number,
  run: TaskRunner,
): Promise<StreamableFile> {
  const first = await run(() => parts.next());
  const timeout = new CumulativeTimeout(clientTimeoutMs, () => {
    stream.destroy(new ClientTooSlow('The client reads the response too slowly'));
  });
  const stream = Readable.from(chunksOf(first.done ? '' : first.value, parts, timeout, run), {
    objectMode: false,
  });
  timeout.resume();
  stream.once('close', () => {
    timeout.pause();
    // A stream that was never read does not close its generator.
    void parts.return(undefined).catch(() => undefined);
  });
  return new StreamableFile(stream, headers);
}

/** Formats the items of a JSON list, with commas between them. */
export async function* jsonListItems<Item>(
  items: AsyncIterable<Item>,
  toJson: (item: Item) => object,
): AsyncGenerator<string> {
  let separator = '';
  for await (const item of items) {
    yield separator + JSON.stringify(toJson(item));
    separator = ',';
  }
}

/** A page as `{data, meta}`. */
export async function* jsonPage<Item>(
  items: AsyncIterable<Item>,
  toJson: (item: Item) => object,
  meta: object,
): AsyncGenerator<string> {
  yield '{"data":[';
  yield* jsonListItems(items, toJson);
  yield `],"meta":${JSON.stringify(meta)}}`;
}

async function* chunksOf(
  first: string,
  parts: AsyncGenerator<string>,
  timeout: CumulativeTimeout,
  run: TaskRunner,
): AsyncGenerator<string> {
  let text = first;
  for (let isLast = false; !isLast;) {
    timeout.pause();
    const chunk = await run(() => buildChunk(text, parts));
    text = '';
    isLast = chunk.isLast;
    timeout.resume();
    if (chunk.text !== '') yield chunk.text;
  }
}

async function buildChunk(
  start: string,
  parts: AsyncGenerator<string>,
): Promise<{ readonly text: string; readonly isLast: boolean }> {
  let text = start;
  while (text.length < MIN_CHUNK_CHARACTERS) {
    const part = await parts.next();
    if (part.done) return { text, isLast: true };
    text += part.value;
  }
  return { text, isLast: false };
}

/** A timeout over the sum of several waits. */
class CumulativeTimeout {
  private startedAt = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private leftMs: number,
    private readonly onTimeout: () => void,
  ) {}

  resume(): void {
    this.startedAt = performance.now();
    this.timer = setTimeout(this.onTimeout, this.leftMs);
    this.timer.unref();
  }

  pause(): void {
    if (!this.timer) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.leftMs = Math.max(0, this.leftMs - (performance.now() - this.startedAt));
  }
}
