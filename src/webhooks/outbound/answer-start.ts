import type { Readable } from 'node:stream';

/** How much of an answer is read. */
const MOST_READ_BYTES = 64 * 1_024;

/** How much of it is kept, in code points. */
const MOST_KEPT_CHARACTERS = 1_000;

/** What those take at most: four bytes each, after a byte order mark. */
const MOST_KEPT_BYTES = 4 * MOST_KEPT_CHARACTERS + 3;

export interface AnswerStart {
  /** The first 1,000 characters, read as UTF-8. */
  readonly text: string;
  /** Whether there may be more, which is left unread. */
  readonly isCutShort: boolean;
}

/**
 * Reads an answer's body to its end, or for 64 KiB.
 * @throws the stream's error when it breaks off before.
 */
export async function readStart(body: Readable): Promise<AnswerStart> {
  const kept: Uint8Array[] = [];
  let read = 0;
  // To be destroyed with its connection: undici opens another one for a request that loses its own by itself.
  const chunks = body.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  for await (const chunk of chunks) {
    if (read < MOST_KEPT_BYTES) kept.push(chunk.subarray(0, MOST_KEPT_BYTES - read));
    read += chunk.length;
    if (read >= MOST_READ_BYTES) break;
  }
  const text = new TextDecoder().decode(Buffer.concat(kept));
  return {
    text: Array.from(text).slice(0, MOST_KEPT_CHARACTERS).join(''),
    isCutShort: read >= MOST_READ_BYTES,
  };
}
