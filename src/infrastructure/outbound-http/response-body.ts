import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

const MAX_READ_BYTES = 64 * 1_024;

/** In Unicode code points. */
const MAX_STORED_CHARACTERS = 1_000;

/** UTF-8 needs up to four bytes per code point, after a byte order mark. */
const MAX_STORED_BYTES = 4 * MAX_STORED_CHARACTERS + 3;

export interface BodyPrefix {
  /** The first 1,000 characters, decompressed, and read as UTF-8. */
  readonly text: string;
  /** Whether reading stopped at 64 KiB. */
  readonly isTruncated: boolean;
}

/**
 * Reads a response body to its end, or its first 64 KiB.
 * @param contentEncoding the header; a body in an unknown encoding is returned as it is.
 * @throws the stream's error when the connection breaks.
 */
export async function readBodyPrefix(body: Readable, contentEncoding = ''): Promise<BodyPrefix> {
  const decoderFor = DECODERS.get(contentEncoding.trim().toLowerCase());
  const maxKeptBytes = decoderFor ? MAX_READ_BYTES : MAX_STORED_BYTES;
  const chunks: Uint8Array[] = [];
  let read = 0;
  // The caller destroys the connection: undici reconnects when a request loses its own.
  const received = body.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  for await (const chunk of received) {
    if (read < maxKeptBytes) chunks.push(chunk.subarray(0, maxKeptBytes - read));
    read += chunk.length;
    if (read >= MAX_READ_BYTES) break;
  }
  const kept = Buffer.concat(chunks);
  const content = decoderFor ? await decodePrefix(kept, decoderFor(kept)) : kept;
  const text = new TextDecoder().decode(content.subarray(0, MAX_STORED_BYTES));
  return {
    text: Array.from(text).slice(0, MAX_STORED_CHARACTERS).join(''),
    isTruncated: read >= MAX_READ_BYTES,
  };
}

/** A small buffer, so that a compressed body of any size is decompressed little further than it is kept. */
const OPTIONS = { chunkSize: MAX_STORED_BYTES };

/** Some servers leave out the header that a deflated body has by RFC 9110. */
const createInflateFor = ([first = 0]: Uint8Array) =>
  (first & 0x0f) === 8 ? createInflate(OPTIONS) : createInflateRaw(OPTIONS);

type Decoder = ReturnType<typeof createGunzip | typeof createBrotliDecompress>;

const DECODERS: ReadonlyMap<string, (encoded: Uint8Array) => Decoder> = new Map<
  string,
  (encoded: Uint8Array) => Decoder
>([
  ['gzip', () => createGunzip(OPTIONS)],
  ['x-gzip', () => createGunzip(OPTIONS)],
  ['deflate', createInflateFor],
  ['br', () => createBrotliDecompress(OPTIONS)],
]);

/** @returns the first bytes that can be decoded; the encoded ones when none can. */
async function decodePrefix(encoded: Buffer, decoder: Decoder): Promise<Buffer> {
  const decoded: Buffer[] = [];
  let length = 0;
  decoder.end(encoded);
  try {
    for await (const chunk of decoder as AsyncIterable<Buffer>) {
      decoded.push(chunk);
      length += chunk.length;
      if (length >= MAX_STORED_BYTES) break;
    }
  } catch {
    if (length === 0) return encoded;
  }
  return Buffer.concat(decoded);
}
