import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { chooseVariant, isUnchanged, prepareFile } from './prepared-file';

const TEXT = Buffer.from('the same words over and over, '.repeat(50));

describe('a prepared file', () => {
  it.each([
    ['br, gzip', 'br'],
    ['gzip, deflate, br', 'br'],
    ['GZIP', 'gzip'],
    ['gzip;q=0.5, deflate', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br ; q=0.0, gzip;q=1.0', 'gzip'],
    ['brotli, x-gzip', undefined],
    ['identity', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('is sent to a client that accepts %s as %s', async (header, encoding) => {
    expect(chooseVariant(await prepareFile(TEXT), header).encoding).toBe(encoding);
  });

  it('has the same content in every encoding, and an ETag for each', async () => {
    const { plain, encoded } = await prepareFile(TEXT);
    const [br, gzip] = encoded;
    expect([plain.bytes, brotliDecompressSync(br?.bytes ?? ''), gunzipSync(gzip?.bytes ?? '')]).toEqual(
      Array(3).fill(TEXT),
    );
    expect(new Set([plain, ...encoded].map(({ etag }) => etag)).size).toBe(3);
    expect((await prepareFile(Buffer.from('other'))).plain.etag).not.toBe(plain.etag);
  });

  it('is not compressed in vain', async () => {
    expect((await prepareFile(Buffer.from('ab'))).encoded).toEqual([]);
    expect((await prepareFile(TEXT, {})).encoded).toEqual([]);
  });

  it.each([
    [(etag: string) => etag, true],
    [(etag: string) => `"other", W/${etag}`, true],
    [() => '*', true],
    [() => '"other"', false],
    [() => undefined, false],
  ])('is unchanged for a client that has it (%#)', async (headerOf, expected) => {
    const { plain } = await prepareFile(TEXT);
    expect(isUnchanged(plain, headerOf(plain.etag))).toBe(expected);
  });
});
