import {
  Binary,
  Code,
  Decimal128,
  deserialize,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  serialize,
  Timestamp,
  UUID,
} from 'bson';

import { elementsOf } from './bson-elements';
import { commandOf } from './command';
import { type WireRequest } from './wire-message';

function request(body: object, sequences = new Map<string, Buffer[]>()): WireRequest {
  return { requestId: 1, legacy: false, body: Buffer.from(serialize(body)), sequences, wantsReply: true };
}

const EVERY_TYPE = {
  double: new Double(1),
  string: 'ünï',
  document: { a: { b: 1 } },
  array: [1, 'two', { three: 3 }],
  binary: new Binary(Buffer.from('bytes')),
  id: new ObjectId(),
  yes: true,
  date: new Date(0),
  nothing: null,
  regex: /^a\.b$/i,
  code: new Code('return 1'),
  scoped: new Code('return x', { x: 1 }),
  int: new Int32(5),
  timestamp: new Timestamp({ t: 1, i: 2 }),
  long: Long.fromString('9007199254740993'),
  decimal: Decimal128.fromString('1.10'),
  least: new MinKey(),
  most: new MaxKey(),
};

describe('BSON elements', () => {
  it('are found whatever their type', () => {
    const names = [...elementsOf(Buffer.from(serialize(EVERY_TYPE)))].map(({ name }) => name);
    expect(names).toEqual(Object.keys(EVERY_TYPE));
  });

  it('are refused if they exceed the document', () => {
    const broken = Buffer.from(serialize({ text: 'some text' }));
    broken.writeInt32LE(5000, 4 + 1 + 5);
    expect(() => [...elementsOf(broken)]).toThrow(RangeError);
  });
});

describe('a command', () => {
  it('is passed on in its own bytes, without its envelope', () => {
    const own = { find: 'messages', filter: EVERY_TYPE };
    const envelope = {
      lsid: { id: new UUID() },
      $db: 'shop',
      maxTimeMS: 250,
      comment: 'why',
      readSection: {},
    };
    const command = commandOf(request({ ...own, ...envelope }));
    expect(command).toMatchObject({ name: 'find', database: 'shop', collection: 'messages', maxTimeMs: 250 });
    expect(command.spec).toEqual(Buffer.from(serialize(own)));
  });

  it('belongs to a transaction only when autocommit is false', () => {
    const session = { lsid: { id: new UUID() }, txnNumber: Long.fromNumber(1), $db: 'shop' };
    const retryable = commandOf(request({ insert: 'a', ...session }));
    expect(retryable.transaction).toBeUndefined();
    const first = commandOf(request({ insert: 'a', ...session, startTransaction: true, autocommit: false }));
    expect(first.transaction).toEqual({ starts: true });
    const next = commandOf(request({ insert: 'a', ...session, autocommit: false }));
    expect(next.transaction).toEqual({ starts: false });
    expect(next.session).toBe(first.session);
  });

  it('needs no collection', () => {
    const command = commandOf(request({ ping: 1 }));
    expect(command).toMatchObject({ name: 'ping', database: 'admin', collection: '' });
    expect(deserialize(command.spec)).toEqual({ ping: 1 });
  });

  it('is refused without a name', () => {
    expect(() => commandOf(request({ $db: 'shop' }))).toThrow(RangeError);
  });
});
