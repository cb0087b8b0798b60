import { deserialize, type Document, EJSON, ObjectId } from 'bson';
import { type DatabaseError } from 'pg';

import { type Command } from './command';
import { CommandError } from './errors';
import { bytes, type Column, type SqlRunner } from './sql';
import { SQL } from './statements';

/** Adds MongoDB's fields to duplicate-key errors; the extension reports at most the index. */

interface Index {
  readonly name: string;
  readonly key: Document;
}

/** Keeps the types of numbers. */
const EXACT = { promoteValues: false } as const;

function indexOf([name, key]: readonly Column[]): Index | undefined {
  return typeof name === 'string' ? { name, key: deserialize(bytes(key)) } : undefined;
}

function isDocument(value: unknown): value is Document {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function valueAt(document: unknown, path: string): unknown {
  if (isDocument(document) && path in document) return document[path];
  return path
    .split('.')
    .reduce<unknown>((inner, step) => (isDocument(inner) ? inner[step] : undefined), document);
}

/** The value that an update would have stored in a field, as far as it can be derived from the command. */
function updatedValueAt(q: unknown, u: unknown, path: string): unknown {
  const sources = isDocument(u) ? [u, u.$set, u.$setOnInsert, q] : [q];
  for (const source of sources) {
    const value = valueAt(source, path);
    if (value !== undefined) return isDocument(value) && '$eq' in value ? value.$eq : value;
  }
  return undefined;
}

function listed(value: unknown): string {
  if (value instanceof ObjectId) return `ObjectId('${value.toHexString()}')`;
  return EJSON.stringify(value, { relaxed: true });
}

function duplicateKeyFields(namespace: string, index: Index, valueOf: (path: string) => unknown): Document {
  const keyValue: Document = {};
  for (const path of Object.keys(index.key)) keyValue[path] = valueOf(path) ?? null;
  const shown = Object.entries(keyValue).map(([path, value]) => `${path}: ${listed(value)}`);
  return {
    errmsg: `E11000 duplicate key error collection: ${namespace} index: ${index.name} dup key: { ${shown.join(', ')} }`,
    keyPattern: index.key,
    keyValue,
  };
}

function attempted(command: Command, position: number): (path: string) => unknown {
  const field = command.name === 'insert' ? 'documents' : 'updates';
  const sequence = command.sequences.get(field);
  const inline: unknown = sequence ? undefined : deserialize(command.spec, EXACT)[field];
  const bytesAt = sequence?.[position];
  const entry: unknown = bytesAt
    ? deserialize(bytesAt, EXACT)
    : Array.isArray(inline)
      ? inline[position]
      : undefined;
  if (command.name === 'insert') return (path) => valueAt(entry, path);
  return (path) => (isDocument(entry) ? updatedValueAt(entry.q, entry.u, path) : undefined);
}

/** A duplicate-key entry of writeErrors, with the fields that MongoDB adds. */
export async function explainWriteError(
  sql: SqlRunner,
  command: Command,
  error: Document,
): Promise<Document> {
  const name = /Index '(.+)'$/.exec(String(error.errmsg))?.[1];
  if (name === undefined) return error;
  const index = indexOf(await sql.row(SQL.indexByName, [command.database, command.collection, name]));
  if (index === undefined) return error;
  const namespace = `${command.database}.${command.collection}`;
  return { ...error, ...duplicateKeyFields(namespace, index, attempted(command, Number(error.index))) };
}

/**
 * `Key (document, …)=(<the document>, …` for a unique index, `Key (shard_key_value, object_id)=(1, <the id>)` for
 * _id.
 */
const HEX_DOCUMENT = /\)=\((?:\d+, )?BSONHEX([0-9a-f]+)/;

function conflicting(detail: string | undefined): Document {
  const hex = HEX_DOCUMENT.exec(detail ?? '')?.[1];
  return hex === undefined ? {} : deserialize(Buffer.from(hex, 'hex'), EXACT);
}

/** A duplicate key that PostgreSQL reported itself (findAndModify, failures of whole commands). */
export async function explainViolation(
  sql: SqlRunner,
  command: Command,
  error: DatabaseError,
): Promise<CommandError> {
  const namespace = `${command.database}.${command.collection}`;
  const document = conflicting(error.detail);
  const id = /^documents_rum_index_(\d+)$/.exec(error.constraint ?? '')?.[1];
  if (id === undefined) {
    // Only _id is a primary key; its value is reported as {"": value}.
    const index = { name: '_id_', key: { _id: 1 } };
    const { errmsg, ...rest } = duplicateKeyFields(namespace, index, () => document['']);
    return new CommandError(11000, String(errmsg), rest);
  }
  const index = indexOf(await sql.row(SQL.indexById, [Number(id)]));
  if (index === undefined)
    return new CommandError(11000, `E11000 duplicate key error collection: ${namespace}`);
  const { errmsg, ...rest } = duplicateKeyFields(namespace, index, (path) => valueAt(document, path));
  return new CommandError(11000, String(errmsg), rest);
}
