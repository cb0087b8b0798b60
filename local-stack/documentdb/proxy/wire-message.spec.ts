import { deserialize, serialize } from 'bson';

import { messageBytes, OPERATION, readRequest, replyBytes } from './wire-message';

function bson(value: object): Buffer {
  return Buffer.from(serialize(value));
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value, 0);
  return bytes;
}

function framed(operation: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([int32(16 + body.length), int32(77), int32(0), int32(operation), body]);
}

function sequence(name: string, ...documents: Buffer[]): Buffer {
  const content = Buffer.concat([Buffer.from(`${name}\0`), ...documents]);
  return Buffer.concat([Buffer.from([1]), int32(4 + content.length), content]);
}

const COMMAND = bson({ insert: 'messages', $db: 'test' });
const BODY = Buffer.concat([Buffer.from([0]), COMMAND]);
const DOCUMENTS = [bson({ a: 1 }), bson({ b: 'two' })];

describe('wire messages', () => {
  it('are read with a body and document sequences in either order', () => {
    for (const sections of [
      [BODY, sequence('documents', ...DOCUMENTS)],
      [sequence('documents', ...DOCUMENTS), BODY],
    ]) {
      const request = readRequest(framed(OPERATION.message, int32(0), ...sections));
      expect(request).toMatchObject({ requestId: 77, legacy: false, wantsReply: true });
      expect(request.body).toEqual(COMMAND);
      expect(request.sequences.get('documents')).toEqual(DOCUMENTS);
    }
  });

  it('want no reply with the flag moreToCome', () => {
    expect(readRequest(framed(OPERATION.message, int32(2), BODY)).wantsReply).toBe(false);
  });

  it('may end in a checksum', () => {
    const request = readRequest(framed(OPERATION.message, int32(1), BODY, int32(0x1234)));
    expect(request.body).toEqual(COMMAND);
  });

  it("are read in the legacy form of a driver's first hello, and get the reply in it", () => {
    const hello = bson({ ismaster: 1, helloOk: true });
    const request = readRequest(
      framed(OPERATION.query, int32(0), Buffer.from('admin.$cmd\0'), int32(0), int32(-1), hello),
    );
    expect(request).toMatchObject({ legacy: true, body: hello });
    const reply = replyBytes(request, { ok: 1 });
    expect(reply.readInt32LE(0)).toBe(reply.length);
    expect(reply.readInt32LE(8)).toBe(77);
    expect(reply.readInt32LE(12)).toBe(OPERATION.reply);
    expect(reply.readInt32LE(32)).toBe(1);
    expect(deserialize(reply.subarray(36))).toEqual({ ok: 1 });
  });

  it('carry a reply in BSON unchanged', () => {
    const request = readRequest(messageBytes({ ping: 1, $db: 'admin' }));
    const reply = bson({ ok: 1, n: 2 });
    expect(readRequest(replyBytes(request, reply)).body).toEqual(reply);
  });

  it.each([
    ['another operation', framed(2012, BODY)],
    ['another kind of section', framed(OPERATION.message, int32(0), Buffer.from([2]), COMMAND)],
    ['no body', framed(OPERATION.message, int32(0), sequence('documents', ...DOCUMENTS))],
    ['a section longer than the message', framed(OPERATION.message, int32(0), Buffer.from([0]), int32(9999))],
  ])('are refused with %s', (_, bytes) => {
    expect(() => readRequest(bytes)).toThrow(RangeError);
  });
});
