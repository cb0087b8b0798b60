import { type Document, serialize } from 'bson';

export const OPERATION = { reply: 1, query: 2004, message: 2013 } as const;

const FLAG = { checksumPresent: 1, moreToCome: 2 } as const;
const HEADER_BYTES = 16;

export interface WireRequest {
  readonly requestId: number;
  /** OP_QUERY, which drivers send only for their first `hello`. */
  readonly legacy: boolean;
  readonly body: Buffer;
  /** Document sequences (sections of kind 1) by name, such as `documents` of an insert. */
  readonly sequences: ReadonlyMap<string, readonly Buffer[]>;
  /** False for unacknowledged writes. */
  readonly wantsReply: boolean;
}

export type Reply = Document | Buffer;

function documentAt(message: Buffer, at: number): Buffer {
  const size = message.readInt32LE(at);
  if (size < 5 || at + size > message.length) throw new RangeError('A document exceeds its message.');
  return message.subarray(at, at + size);
}

function documentsBetween(message: Buffer, from: number, to: number): Buffer[] {
  const documents: Buffer[] = [];
  for (let at = from; at < to;) {
    const document = documentAt(message, at);
    documents.push(document);
    at += document.length;
  }
  return documents;
}

function readMessage(message: Buffer): WireRequest {
  const flags = message.readUInt32LE(HEADER_BYTES);
  const end = message.length - (flags & FLAG.checksumPresent ? 4 : 0);
  const sequences = new Map<string, Buffer[]>();
  let body: Buffer | undefined;
  for (let at = HEADER_BYTES + 4; at < end;) {
    const kind = message.readUInt8(at);
    const start = at + 1;
    const size = message.readInt32LE(start);
    if (size < 5 || start + size > end) throw new RangeError('A section exceeds its message.');
    if (kind === 0) body = documentAt(message, start);
    else if (kind === 1) {
      const nameEnd = message.indexOf(0, start + 4);
      const name = message.toString('utf8', start + 4, nameEnd);
      sequences.set(name, documentsBetween(message, nameEnd + 1, start + size));
    } else throw new RangeError(`Unknown section kind ${kind}.`);
    at = start + size;
  }
  if (body === undefined) throw new RangeError('A message has no body.');
  return {
    requestId: message.readInt32LE(4),
    legacy: false,
    body,
    sequences,
    wantsReply: !(flags & FLAG.moreToCome),
  };
}

function readLegacyQuery(message: Buffer): WireRequest {
  const nameEnd = message.indexOf(0, HEADER_BYTES + 4);
  const body = documentAt(message, nameEnd + 1 + 8);
  return { requestId: message.readInt32LE(4), legacy: true, body, sequences: new Map(), wantsReply: true };
}

/** @throws RangeError for an unknown message; the connection is then unusable. */
export function readRequest(message: Buffer): WireRequest {
  const operation = message.readInt32LE(12);
  if (operation === OPERATION.message) return readMessage(message);
  if (operation === OPERATION.query) return readLegacyQuery(message);
  throw new RangeError(`Operation ${operation} is not supported.`);
}

let lastRequestId = 0;

function frame(operation: number, responseTo: number, prefix: Buffer, body: Buffer): Buffer[] {
  lastRequestId = (lastRequestId + 1) & 0x7fffffff;
  const head = Buffer.alloc(HEADER_BYTES);
  head.writeInt32LE(HEADER_BYTES + prefix.length + body.length, 0);
  head.writeInt32LE(lastRequestId, 4);
  head.writeInt32LE(responseTo, 8);
  head.writeInt32LE(operation, 12);
  return [head, prefix, body];
}

function bytesOf(reply: Reply): Buffer {
  return Buffer.isBuffer(reply) ? reply : Buffer.from(serialize(reply, { ignoreUndefined: true }));
}

export function messageBytes(command: Reply, responseTo = 0): Buffer {
  return Buffer.concat(frame(OPERATION.message, responseTo, Buffer.alloc(5), bytesOf(command)));
}

/** The bytes of a command, with its document sequences. */
export function requestBytes(body: Buffer, sequences: WireRequest['sequences']): Buffer {
  const sections = [...sequences].map(([name, documents]) => {
    const content = Buffer.concat([Buffer.from(`${name}\0`), ...documents]);
    const head = Buffer.alloc(5);
    head.writeUInt8(1, 0);
    head.writeInt32LE(content.length + 4, 1);
    return Buffer.concat([head, content]);
  });
  return Buffer.concat(frame(OPERATION.message, 0, Buffer.alloc(5), Buffer.concat([body, ...sections])));
}

/** The bytes of a reply, with the operation of the request. */
export function replyBytes(request: WireRequest, reply: Reply): Buffer {
  if (!request.legacy) return messageBytes(reply, request.requestId);
  const prefix = Buffer.alloc(20); // flags, cursor id, starting from, number returned
  prefix.writeInt32LE(8, 0); // AwaitCapable
  prefix.writeInt32LE(1, 16);
  return Buffer.concat(frame(OPERATION.reply, request.requestId, prefix, bytesOf(reply)));
}
