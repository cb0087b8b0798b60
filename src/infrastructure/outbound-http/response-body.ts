import type { Readable } from 'node:stream';

const MAX_READ_BYTES = 64 * 1_024;

/** In Unicode code points. */
const MAX_STORED_CHARACTERS = 1_000;

/** UTF-8 needs up to four bytes per code point, after a byte order mark. */
const MAX_STORED_BYTES = 4 * MAX_STORED_CHARACTERS + 3;

export interface BodyPrefix {
  /** The first 1,000 characters, read as UTF-8. */
  readonly text: string;
  /** Whether reading stopped at 64 KiB. */
  readonly isTruncated: boolean;
}

/**
 * Reads a response body to its end, or its first 64 KiB.
 * @throws the stream's error when the connection breaks.
 */
export async function readBodyPrefix(body: Readable): Promise<BodyPrefix> {
  const kept: Uint8Array[] = [];
  let read = 0;
  // The caller destroys the connection: undici reconnects when a request loses its own.
  const chunks = body.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  for await (const chunk of chunks) {
    if (read < MAX_STORED_BYTES) kept.push(chunk.subarray(0, MAX_STORED_BYTES - read));
    read += chunk.length;
    if (read >= MAX_READ_BYTES) break;
  }
  const text = new TextDecoder().decode(Buffer.concat(kept));
  return {
    text: Array.from(text).slice(0, MAX_STORED_CHARACTERS).join(''),
    isTruncated: read >= MAX_READ_BYTES,
  };
}
