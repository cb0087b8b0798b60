import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import * as fc from 'fast-check';
import { readBodyPrefix } from './response-body';

async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) {
    await turn();
    yield bytes.subarray(start, start + size);
  }
}

const read = (text: string | Uint8Array, size = 16_384) =>
  readBodyPrefix(Readable.from(inChunks(Buffer.from(text), size)));

describe('readBodyPrefix', () => {
  it.each([
    ['short', 'ok', 'ok'],
    ['empty', '', ''],
    ['exactly 1,000 characters long', 'x'.repeat(1_000), 'x'.repeat(1_000)],
    ['too long', 'x'.repeat(1_001), 'x'.repeat(1_000)],
    ['in two-byte characters', 'é'.repeat(2_000), 'é'.repeat(1_000)],
    ['in three-byte characters', '€'.repeat(2_000), '€'.repeat(1_000)],
    ['in four-byte characters', '😀'.repeat(2_000), '😀'.repeat(1_000)],
    ['in four-byte characters after a byte order mark', `\ufeff${'😀'.repeat(2_000)}`, '😀'.repeat(1_000)],
    ['cut inside a character', `a${'😀'.repeat(2_000)}`, `a${'😀'.repeat(999)}`],
  ])('keeps the first 1,000 characters of a body that is %s', async (_, text, kept) => {
    expect(await read(text)).toEqual({ text: kept, isTruncated: false });
  });

  it('decodes characters that are split across chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'binary', maxLength: 3_000 }),
        fc.integer({ min: 50, max: 5_000 }),
        async (text, size) => {
          const expected = Array.from(text.replace(/^\ufeff/, '')).slice(0, 1_000);
          expect((await read(text, size)).text).toBe(expected.join(''));
        },
      ),
      { numRuns: 50 },
    );
  });

  it('replaces bytes that are not UTF-8', async () => {
    expect((await read(Buffer.from([0x6f, 0xff, 0x6b]))).text).toBe('o\ufffdk');
  });

  it('stops reading after 64 KiB', async () => {
    let given = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        await turn();
        given += 4_096;
        yield Buffer.alloc(4_096, 'x');
      }
    }
    const body = Readable.from(endless(), { objectMode: false, highWaterMark: 4_096 });
    expect(await readBodyPrefix(body)).toEqual({ text: 'x'.repeat(1_000), isTruncated: true });
    // The stream reads ahead.
    expect(given).toBeLessThan(80 * 1_024);
  });

  it('throws when the stream fails', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('half an ans');
      await turn();
      throw new Error('broken off');
    }
    await expect(readBodyPrefix(Readable.from(broken()))).rejects.toThrow('broken off');
  });
});
