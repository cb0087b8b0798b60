import fc from 'fast-check';

import { MessageSplitter } from './message-splitter';

function message(bytes: number, fill: number): Buffer {
  const whole = Buffer.alloc(16 + bytes, fill);
  whole.writeInt32LE(whole.length, 0);
  return whole;
}

function cut(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  let at = 0;
  for (let turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? bytes.length;
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

describe('MessageSplitter', () => {
  it('finds the same messages in any chunks', () => {
    const bodies = fc.array(fc.nat(200), { minLength: 1, maxLength: 8 });
    const cuts = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(bodies, cuts, (sizes, chunkSizes) => {
        const messages = sizes.map((size, index) => message(size, index));
        const splitter = new MessageSplitter();
        const found = cut(Buffer.concat(messages), chunkSizes).flatMap((chunk) => splitter.push(chunk));
        expect(found).toEqual(messages);
      }),
    );
  });

  it('joins a message of 48 MB within 1.5 s', () => {
    const big = message(47_900_000, 1);
    const splitter = new MessageSplitter();
    const start = performance.now();
    const found = cut(big, [16 * 1024]).flatMap((chunk) => splitter.push(chunk));
    expect(performance.now() - start).toBeLessThan(1500);
    expect(found).toHaveLength(1);
    expect(found[0]?.equals(big)).toBe(true);
  });

  it.each([0, 15, -1, 48_100_000])('refuses a message with a length of %d bytes', (length) => {
    const head = Buffer.alloc(16);
    head.writeInt32LE(length, 0);
    expect(() => new MessageSplitter().push(head)).toThrow(RangeError);
  });
});
