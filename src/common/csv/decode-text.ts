import { encodingExists, getDecoder } from 'iconv-lite';
import { nextTurn } from '../slices';
import { OLD_ENCODINGS, utf16Of } from './csv-format';
import { problemOfKind } from './file-kind';
import { UnreadableCsv } from './unreadable-csv';

const UNICODE = ['utf-8', 'utf-16le', 'utf-16be'];

/** Those that people choose from. */
export const TEXT_ENCODINGS = [...UNICODE, ...OLD_ENCODINGS] as const;

/** So much of a file tells what it is. */
const START_BYTES = 1_024;

/** A piece of this length is parsed in about a millisecond. */
const PIECE_LENGTH = 16_384;

/**
 * Decodes a text file while it is read. Line ends become `\n`; a byte order mark is left out. Other work of the process has a turn
 * between two pieces.
 * @param encoding of a file without a byte order mark, by its name on the web; by default UTF-8, or UTF-16 if its bytes look like it.
 * @throws UnreadableCsv for another kind of file, or one that is not in this encoding.
 */
export async function* decodeText(
  chunks: AsyncIterable<Uint8Array>,
  encoding?: string,
): AsyncGenerator<string> {
  let heldBack = '';
  for await (const decoded of decode(chunks, encoding)) {
    if (decoded.includes('\0')) throw new UnreadableCsv('is no text: a CSV file is needed');
    const text = heldBack + decoded;
    // The line end may continue in the next chunk.
    heldBack = text.endsWith('\r') ? '\r' : '';
    const lines = text.slice(0, text.length - heldBack.length).replace(/\r\n?/g, '\n');
    for (let from = 0; from < lines.length; from += PIECE_LENGTH) {
      yield lines.slice(from, from + PIECE_LENGTH);
      await nextTurn();
    }
  }
  if (heldBack) yield '\n';
}

async function* decode(
  chunks: AsyncIterable<Uint8Array>,
  encoding: string | undefined,
): AsyncGenerator<string> {
  let read: ((bytes?: Uint8Array) => string) | undefined;
  let start: Uint8Array = new Uint8Array();
  const begin = () => {
    const problem = problemOfKind(start);
    if (problem !== undefined) throw new UnreadableCsv(problem);
    read = decoderOf(encodingOf(start, encoding));
    return read(start);
  };
  for await (const chunk of chunks) {
    if (read) yield read(chunk);
    else {
      start = Buffer.concat([start, chunk]);
      if (start.length >= START_BYTES) yield begin();
    }
  }
  if (!read) yield begin();
  if (read) yield read();
}

function encodingOf(start: Uint8Array, named: string | undefined): string {
  const marked = start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf ? 'utf-8' : utf16Of(start);
  return marked ?? named ?? unmarkedUtf16Of(start) ?? 'utf-8';
}

/** UTF-16 without its mark: every other byte of western text is 0. */
function unmarkedUtf16Of(start: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const zerosAt = (parity: number) =>
    start.reduce((count, byte, index) => count + Number(byte === 0 && index % 2 === parity), 0);
  const [even, odd] = [zerosAt(0), zerosAt(1)];
  const many = start.length / 4;
  if (odd > many && even === 0) return 'utf-16le';
  return even > many && odd === 0 ? 'utf-16be' : undefined;
}

/** @returns decodes a chunk; without one, the rest. */
function decoderOf(encoding: string): (bytes?: Uint8Array) => string {
  const decode = UNICODE.includes(encoding) ? unicodeDecoder(encoding) : oldDecoder(encoding);
  return (bytes) => {
    const text = decode(bytes);
    if (text !== undefined) return text;
    throw new UnreadableCsv(
      encoding === 'utf-8'
        ? 'is not in UTF-8: save it as "CSV UTF-8", or name its encoding, such as windows-1252'
        : `is not in ${encoding}`,
    );
  };
}

type Decode = (bytes?: Uint8Array) => string | undefined;

function unicodeDecoder(encoding: string): Decode {
  const decoder = new TextDecoder(encoding, { fatal: true });
  return (bytes) => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      return undefined;
    }
  };
}

function oldDecoder(encoding: string): Decode {
  // Not TextDecoder, which in some versions of Node reads windows-1252 as Latin-1.
  if (!encodingExists(encoding)) return unicodeDecoder(encoding);
  const decoder = getDecoder(encoding);
  return (bytes) => {
    const text = bytes ? decoder.write(Buffer.from(bytes)) : (decoder.end() ?? '');
    return text.includes('\ufffd') ? undefined : text;
  };
}
