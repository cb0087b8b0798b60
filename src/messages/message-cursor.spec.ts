import fc from 'fast-check';
import { Types } from 'mongoose';
import { ORDERS, readCursor, writeCursor } from './message-cursor';

const cursors = fc.record({
  createdAt: fc.date({ noInvalidDate: true }),
  id: fc
    .uint8Array({ minLength: 12, maxLength: 12 })
    .map((bytes) => new Types.ObjectId(Buffer.from(bytes).toString('hex'))),
  order: fc.constantFrom(...ORDERS),
});

describe('a cursor of the message list', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(cursors, (cursor) => {
        const text = writeCursor(cursor);
        expect(text).toMatch(/^[\w-]+$/);
        expect(readCursor(text)).toEqual(cursor);
      }),
    );
  });

  it('is refused when anything about it was changed, unless that makes it another cursor', () => {
    fc.assert(
      fc.property(cursors, fc.nat(), fc.string({ unit: 'binary', maxLength: 2 }), (cursor, at, insert) => {
        const text = writeCursor(cursor);
        const changed = text.slice(0, at % text.length) + insert + text.slice((at % text.length) + 1);
        const read = readCursor(changed);
        expect(read === null || writeCursor(read) === changed).toBe(true);
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
  ])('is never %j', (content) => {
    expect(readCursor(Buffer.from(content).toString('base64url'))).toBeNull();
    expect(readCursor(content)).toBeNull();
  });

  it('is not taken in another spelling of base64', () => {
    const text = writeCursor({ createdAt: new Date(1), id: new Types.ObjectId(id), order: 'asc' });
    expect(readCursor(`${text}=`)).toBeNull();
    expect(readCursor(` ${text}`)).toBeNull();
    expect(readCursor(text)).not.toBeNull();
  });
});
