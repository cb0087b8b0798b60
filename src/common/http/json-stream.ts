import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';

/** How long the reader of an answer may take, however long it is. */
const READER_LIMIT_MS = 120_000;

/** Written to the connection at a time. */
const MIN_PIECE_CHARACTERS = 16 * 1024;

class ReaderTooSlow extends Error {}

/**
 * Answers a JSON text that is too long to be held in memory: it is made as fast as its reader takes it. When making it
 * fails, or its reader takes longer than two minutes, the connection is cut: nobody takes a part of it for the whole.
 * @param parts of the text, in order; given up with the connection.
 * @returns once the first part is made: what fails before is an ordinary failure of the request.
 * @throws what making the first part throws.
 */
export async function streamedJson(
  parts: AsyncGenerator<string>,
  readerLimitMs = READER_LIMIT_MS,
): Promise<StreamableFile> {
  const first = await parts.next();
  const stream = Readable.from(pieces(first.done ? '' : first.value, parts), { objectMode: false });
  const limit = setTimeout(() => {
    stream.destroy(new ReaderTooSlow('The reader of the answer was too slow'));
  }, readerLimitMs);
  limit.unref();
  stream.once('close', () => {
    clearTimeout(limit);
    // Where the stream was never read from, the generator does not know that it is over.
    void parts.return(undefined).catch(() => undefined);
  });
  return new StreamableFile(stream, { type: 'application/json; charset=utf-8' });
}

/** The items of a list, separated, as parts of a JSON text. */
export async function* jsonItems<Item>(
  items: AsyncIterable<Item>,
  toJson: (item: Item) => object,
): AsyncGenerator<string> {
  let separator = '';
  for await (const item of items) {
    yield separator + JSON.stringify(toJson(item));
    separator = ',';
  }
}

async function* pieces(first: string, parts: AsyncGenerator<string>): AsyncGenerator<string> {
  let piece = first;
  for await (const part of parts) {
    piece += part;
    if (piece.length < MIN_PIECE_CHARACTERS) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}
