/** How much of an answer is read. */
export const MOST_READ_BYTES = 64 * 1_024;

/** How much of it is kept, in code points. */
const MOST_KEPT_CHARACTERS = 1_000;

/** What those take at most: four bytes each, after a byte order mark. */
const MOST_KEPT_BYTES = 4 * MOST_KEPT_CHARACTERS + 3;

/**
 * Reads an answer's body to its end, or for 64 KiB; what comes after those is not read, and the stream is destroyed.
 * @returns the first 1,000 characters, read as UTF-8.
 * @throws the stream's error when it breaks off before.
 */
export async function readStart(body: AsyncIterable<Uint8Array>): Promise<string> {
  const kept: Uint8Array[] = [];
  let read = 0;
  for await (const chunk of body) {
    if (read < MOST_KEPT_BYTES) kept.push(chunk.subarray(0, MOST_KEPT_BYTES - read));
    read += chunk.length;
    if (read >= MOST_READ_BYTES) break;
  }
  const text = new TextDecoder().decode(Buffer.concat(kept));
  return Array.from(text).slice(0, MOST_KEPT_CHARACTERS).join('');
}
