import fc from 'fast-check';
import { Types } from 'mongoose';
import { ORDERS, decodeCursor, encodeCursor } from './message-cursor';

const cursors = fc.record({
  createdAt: fc.date({ noInvalidDate: true }),
  id: fc
    .uint8Array({ minLength: 12, maxLength: 12 })
    .map((bytes) => new Types.ObjectId(Buffer.from(bytes).toString('hex'))),
  order: fc.constantFrom(...ORDERS),
});

describe('message list cursor', () => {
  it('round-trips', () => {
    fc.assert(
      fc.property(cursors, (cursor) => {
        const text = encodeCursor(cursor);
        expect(text).toMatch(/^[\w-]+$/);
        expect(decodeCursor(text)).toEqual(cursor);
      }),
    );
  });

  it('rejects a modified cursor unless it is itself a valid cursor', () => {
    fc.assert(
      fc.property(cursors, fc.nat(), fc.string({ unit: 'binary', maxLength: 2 }), (cursor, at, insert) => {
        const text = encodeCursor(cursor);
        const changed = text.slice(0, at % text.length) + insert + text.slice((at % text.length) + 1);
        const read = decodeCursor(changed);
        expect(read === null || encodeCursor(read) === changed).toBe(true);
      }),
    );
  });

  const id = '665f1c2ab7e1d4a9c0f3e812';
  it.each([
    '',
    'x',
    '1.2.3',
    `1767225600000.${id}`,
    `1767225600000.${id}.up`,
    `1767225600000.${id}.desc.`,
    `1767225600000.${id.toUpperCase()}.desc`,
    `01767225600000.${id}.desc`,
    `1e12.${id}.desc`,
    `.${id}.desc`,
    `NaN.${id}.desc`,
    `Infinity.${id}.desc`,
    `9999999999999999.${id}.desc`,
    `{"$gt":0}.${id}.desc`,
  ])('rejects %j', (content) => {
    expect(decodeCursor(Buffer.from(content).toString('base64url'))).toBeNull();
    expect(decodeCursor(content)).toBeNull();
  });

  it('rejects non-canonical base64', () => {
    const text = encodeCursor({ createdAt: new Date(1), id: new Types.ObjectId(id), order: 'asc' });
    expect(decodeCursor(`${text}=`)).toBeNull();
    expect(decodeCursor(` ${text}`)).toBeNull();
    expect(decodeCursor(text)).not.toBeNull();
  });
});
