import { type BsonElement, documentOf, elementsOf, flagOf, numberOf, textOf } from './bson-elements';
import { type WireRequest } from './wire-message';

/** A database command, split into what the proxy handles and what it passes to the extension. */
export interface Command {
  readonly name: string;
  readonly database: string;
  /** The first field if it is a string: the collection of most commands, else empty. */
  readonly collection: string;
  readonly session: string | undefined;
  /** Set in a multi-document transaction. */
  readonly transaction: { readonly starts: boolean } | undefined;
  readonly maxTimeMs: number | undefined;
  /** The command without the envelope fields, as BSON. */
  readonly spec: Buffer;
  readonly sequences: ReadonlyMap<string, readonly Buffer[]>;
}

/** Transport fields; the extension rejects some of them. */
const ENVELOPE: ReadonlySet<string> = new Set([
  '$db',
  '$clusterTime',
  '$readPreference',
  'lsid',
  'txnNumber',
  'autocommit',
  'startTransaction',
  'readSection',
  'writeConcern',
  'maxTimeMS',
  'comment',
  'apiVersion',
  'apiStrict',
  'apiDeprecationErrors',
]);

function sessionOf(body: Buffer, lsid: BsonElement): string {
  return body.toString('hex', lsid.valueStart, lsid.end);
}

/** @throws RangeError for an empty body or invalid BSON. */
export function commandOf(request: WireRequest): Command {
  const { body, sequences } = request;
  const kept: BsonElement[] = [];
  const envelope = new Map<string, BsonElement>();
  for (const element of elementsOf(body)) {
    if (ENVELOPE.has(element.name)) envelope.set(element.name, element);
    else kept.push(element);
  }
  const [first] = kept;
  if (first === undefined) throw new RangeError('A command has no name.');
  const from = <T>(name: string, read: (body: Buffer, element: BsonElement) => T): T | undefined => {
    const element = envelope.get(name);
    return element === undefined ? undefined : read(body, element);
  };
  // Only commands of a transaction have `autocommit: false`; a txnNumber alone is a retryable write.
  const inTransaction = from('autocommit', flagOf) === false;
  return {
    name: first.name,
    database: from('$db', textOf) ?? 'admin',
    collection: textOf(body, first) ?? '',
    session: from('lsid', sessionOf),
    transaction: inTransaction ? { starts: from('startTransaction', flagOf) === true } : undefined,
    maxTimeMs: from('maxTimeMS', numberOf),
    spec: documentOf(body, kept),
    sequences,
  };
}
