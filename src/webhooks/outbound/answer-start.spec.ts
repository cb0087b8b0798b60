import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import * as fc from 'fast-check';
import { readStart } from './answer-start';

async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) {
    await turn();
    yield bytes.subarray(start, start + size);
  }
}

const read = (text: string | Uint8Array, size = 16_384) =>
  readStart(Readable.from(inChunks(Buffer.from(text), size)));

describe('the start of an answer', () => {
  it.each([
    ['short', 'ok', 'ok'],
    ['empty', '', ''],
    ['as long as is kept', 'x'.repeat(1_000), 'x'.repeat(1_000)],
    ['too long', 'x'.repeat(1_001), 'x'.repeat(1_000)],
    ['of two bytes a character', 'é'.repeat(2_000), 'é'.repeat(1_000)],
    ['of three', '€'.repeat(2_000), '€'.repeat(1_000)],
    ['of four', '😀'.repeat(2_000), '😀'.repeat(1_000)],
    ['of four, after a byte order mark', `\ufeff${'😀'.repeat(2_000)}`, '😀'.repeat(1_000)],
    ['whose last character does not fall on the limit', `a${'😀'.repeat(2_000)}`, `a${'😀'.repeat(999)}`],
  ])('is its first 1,000 characters when it is %s', async (_, text, kept) => {
    expect(await read(text)).toEqual({ text: kept, isCutShort: false });
  });

  it('is whole whatever pieces it comes in', async () => {
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

  it('shows what is not UTF-8 as such, and does not fail', async () => {
    expect((await read(Buffer.from([0x6f, 0xff, 0x6b]))).text).toBe('o\ufffdk');
  });

  it('is not read further than 64 KiB', async () => {
    let given = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        await turn();
        given += 4_096;
        yield Buffer.alloc(4_096, 'x');
      }
    }
    const body = Readable.from(endless(), { objectMode: false, highWaterMark: 4_096 });
    expect(await readStart(body)).toEqual({ text: 'x'.repeat(1_000), isCutShort: true });
    // The stream itself reads a little ahead.
    expect(given).toBeLessThan(80 * 1_024);
  });

  it('fails where the answer breaks off', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('half an ans');
      await turn();
      throw new Error('broken off');
    }
    await expect(readStart(Readable.from(broken()))).rejects.toThrow('broken off');
  });
});
