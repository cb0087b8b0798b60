/**
 * Reads only the structure of BSON: documents reach the database as the client's bytes, so that no number changes
 * its type.
 */

export interface BsonElement {
  readonly type: number;
  readonly name: string;
  readonly start: number;
  readonly valueStart: number;
  readonly end: number;
}

const BSON = {
  double: 0x01,
  string: 0x02,
  document: 0x03,
  array: 0x04,
  boolean: 0x08,
  int32: 0x10,
  int64: 0x12,
} as const;

/** Sizes of the fixed-size types (bsonspec.org). */
const FIXED_SIZE: ReadonlyMap<number, number> = new Map([
  [0x01, 8],
  [0x06, 0],
  [0x07, 12],
  [0x08, 1],
  [0x09, 8],
  [0x0a, 0],
  [0x10, 4],
  [0x11, 8],
  [0x12, 8],
  [0x13, 16],
  [0x7f, 0],
  [0xff, 0],
]);

function afterText(document: Buffer, from: number): number {
  const zero = document.indexOf(0, from);
  if (zero < 0) throw new RangeError('A BSON name is not terminated.');
  return zero + 1;
}

function valueEnd(document: Buffer, type: number, at: number): number {
  const fixed = FIXED_SIZE.get(type);
  if (fixed !== undefined) return at + fixed;
  switch (type) {
    case 0x02: // string
    case 0x0d: // code
    case 0x0e: // symbol
      return at + 4 + document.readInt32LE(at);
    case 0x03: // document
    case 0x04: // array
    case 0x0f: // code with scope
      return at + document.readInt32LE(at);
    case 0x05: // binary: length, subtype, bytes
      return at + 5 + document.readInt32LE(at);
    case 0x0b: // regular expression: pattern and options
      return afterText(document, afterText(document, at));
    case 0x0c: // pointer: string and object id
      return at + 4 + document.readInt32LE(at) + 12;
    default:
      throw new RangeError(`Unknown BSON type ${type}.`);
  }
}

/** The top-level elements of a document, in order. @throws RangeError for invalid BSON. */
export function* elementsOf(document: Buffer): Generator<BsonElement, void, undefined> {
  const last = document.length - 1;
  for (let start = 4; start < last;) {
    const type = document.readUInt8(start);
    const valueStart = afterText(document, start + 1);
    const end = valueEnd(document, type, valueStart);
    if (end > last || end < valueStart) throw new RangeError('A BSON value exceeds its document.');
    yield { type, name: document.toString('utf8', start + 1, valueStart - 1), start, valueStart, end };
    start = end;
  }
}

export function textOf(document: Buffer, element: BsonElement): string | undefined {
  if (element.type !== BSON.string) return undefined;
  return document.toString('utf8', element.valueStart + 4, element.end - 1);
}

/** @returns a 64-bit integer rounded to a double; undefined for another type. */
export function numberOf(document: Buffer, element: BsonElement): number | undefined {
  if (element.type === BSON.int32) return document.readInt32LE(element.valueStart);
  if (element.type === BSON.int64) return Number(document.readBigInt64LE(element.valueStart));
  if (element.type === BSON.double) return document.readDoubleLE(element.valueStart);
  return undefined;
}

export function flagOf(document: Buffer, element: BsonElement): boolean | undefined {
  return element.type === BSON.boolean ? document.readUInt8(element.valueStart) === 1 : undefined;
}

export function documentOf(source: Buffer, elements: readonly BsonElement[]): Buffer {
  const size = 5 + elements.reduce((sum, element) => sum + element.end - element.start, 0);
  const document = Buffer.alloc(size);
  document.writeInt32LE(size, 0);
  let at = 4;
  for (const element of elements) at += source.copy(document, at, element.start, element.end);
  return document;
}
