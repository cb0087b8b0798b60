import { Types } from 'mongoose';
import { expandLargeDocuments } from './large-documents';

interface Text {
  readonly _id: Types.ObjectId;
  readonly text: string;
}

const KB = 1_024;

async function expand(listed: Parameters<typeof expandLargeDocuments<Text, never>>[0]) {
  const loads: number[] = [];
  const texts: string[] = [];
  const documents = expandLargeDocuments<Text, never>(listed, (ids) => {
    loads.push(ids.length);
    // In another order than asked for, without the one that was deleted.
    return Promise.resolve(
      ids
        .map((_id) => ({ _id, text: `large ${_id.getTimestamp().getTime()}` }))
        .filter(({ text }) => text !== 'large 13000')
        .reverse(),
    );
  });
  for await (const { text } of documents) texts.push(text);
  return { loads, texts };
}

const idOf = (second: number) => Types.ObjectId.createFromTime(second);
const small = (second: number): Text => ({ _id: idOf(second), text: `small ${second}` });
const large = (second: number, documentBytes: number) => ({ _id: idOf(second), documentBytes });

describe('expandLargeDocuments', () => {
  it('keeps the order, and skips a document that was deleted meanwhile', async () => {
    const { texts } = await expand([
      small(11),
      large(12, 9 * KB),
      large(13, 9 * KB),
      small(14),
      large(15, 9 * KB),
    ]);
    expect(texts).toEqual(['small 11', 'large 12000', 'small 14', 'large 15000']);
  });

  it('loads large documents together up to 32 KB, and larger ones alone', async () => {
    const sizes = [10, 10, 10, 10, 100, 100, 20, 12].map((size) => size * KB);
    const { loads, texts } = await expand(sizes.map((bytes, index) => large(20 + index, bytes)));
    expect(loads).toEqual([3, 1, 1, 1, 2]);
    expect(texts).toHaveLength(sizes.length);
  });

  it('loads nothing for a list of small documents', async () => {
    const { loads, texts } = await expand(Array.from({ length: 100 }, (_, index) => small(index + 1)));
    expect(loads).toEqual([]);
    expect(texts).toHaveLength(100);
  });
});
