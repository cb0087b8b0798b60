import { deserialize, type Document } from 'bson';

import { elementsOf } from './bson-elements';
import { type Command } from './command';
import { type Cursors } from './cursors';
import { explainWriteError } from './duplicate-key';
import { asCommandError, codeOfState, CommandError, unpackState } from './errors';
import { explainReply } from './explain';
import { buildInfo, hello, serverStatus } from './replies';
import { bytes, type Column, type SqlRunner, type Statement } from './sql';
import { explain, EXPLAINED, SQL } from './statements';
import { type Reply } from './wire-message';

interface Context {
  readonly sql: SqlRunner;
  readonly cursors: Cursors;
  readonly connection: number;
}

export type Handler = (context: Context, command: Command) => Reply | Promise<Reply>;

const OK = { ok: 1 };

function fieldsOf(command: Command): Document {
  return deserialize(command.spec, { promoteLongs: false, promoteBuffers: false });
}

function bytesOrNone(column: Column | undefined): Buffer | undefined {
  return Buffer.isBuffer(column) ? column : undefined;
}

function opens(statement: Statement): Handler {
  return async ({ sql, cursors }, command) => {
    const [page, continuation, id] = await sql.row(statement, [command.database, command.spec]);
    const next = bytesOrNone(continuation);
    if (next !== undefined) cursors.keep(String(id), next);
    return bytes(page);
  };
}

async function getMore({ sql, cursors }: Context, command: Command): Promise<Reply> {
  const id = String(fieldsOf(command).getMore);
  const place = cursors.continuation(id);
  if (place === undefined) throw new CommandError(43, `cursor id ${id} not found`);
  const [page, continuation] = await sql.row(SQL.getMore, [command.database, command.spec, place]);
  cursors.keep(id, bytesOrNone(continuation));
  return bytes(page);
}

async function killCursors({ sql, cursors }: Context, command: Command): Promise<Reply> {
  const { cursors: asked } = fieldsOf(command);
  const ids: unknown[] = Array.isArray(asked) ? asked : [];
  const killed = ids.filter((id) => cursors.kill(String(id)));
  if (killed.length > 0) await sql.row(SQL.deleteCursors, [`{${killed.map(String).join(',')}}`]);
  return {
    cursorsKilled: killed,
    cursorsNotFound: ids.filter((id) => !killed.includes(id)),
    cursorsAlive: [],
    cursorsUnknown: [],
    ok: 1,
  };
}

function hasWriteErrors(reply: Buffer): boolean {
  for (const { name } of elementsOf(reply)) if (name === 'writeErrors') return true;
  return false;
}

async function write(
  sql: SqlRunner,
  command: Command,
  statement: Statement,
  documents: readonly Buffer[] | undefined,
): Promise<Reply> {
  const [result] = await sql.row(statement, [
    command.database,
    command.spec,
    documents === undefined ? null : Buffer.concat(documents),
  ]);
  const reply = bytes(result);
  return hasWriteErrors(reply) ? withMongoErrors(sql, command, reply) : reply;
}

function writes(statement: Statement, sequence: string): Handler {
  return ({ sql }, command) => write(sql, command, statement, command.sequences.get(sequence));
}

async function update({ sql }: Context, command: Command): Promise<Reply> {
  const updates = command.sequences.get('updates');
  // In a transaction nothing may commit, and a single update is atomic anyway.
  if (!sql.mayRepeat || updates === undefined || updates.length === 1) {
    return write(sql, command, SQL.update, updates);
  }
  try {
    return await write(sql, command, SQL.updateSeveral, updates);
  } catch (error) {
    throw asCommandError(error); // not transient: some updates may be committed
  }
}

async function withMongoErrors(sql: SqlRunner, command: Command, bytesOfReply: Buffer): Promise<Document> {
  const reply = deserialize(bytesOfReply, { promoteLongs: false });
  const reported: unknown = reply.writeErrors;
  const writeErrors: Document[] = [];
  for (const error of Array.isArray(reported) ? (reported as Document[]) : []) {
    const code = codeOfState(unpackState(Number(error.code)));
    const known = { ...error, code };
    writeErrors.push(code === 11000 ? await explainWriteError(sql, command, known) : known);
  }
  return { ...reply, writeErrors };
}

function responds(statement: Statement): Handler {
  return async ({ sql }, command) => bytes((await sql.row(statement, [command.database, command.spec]))[0]);
}

function isExplained(name: string): name is keyof typeof EXPLAINED {
  return name in EXPLAINED;
}

async function explained({ sql }: Context, command: Command): Promise<Reply> {
  let inner: Buffer | undefined;
  for (const { name, valueStart, end } of elementsOf(command.spec)) {
    if (name === 'explain') inner = command.spec.subarray(valueStart, end);
  }
  if (inner === undefined) throw new CommandError(9, 'explain needs a command');
  const { verbosity } = fieldsOf(command);
  const fields = deserialize(inner);
  const kind = Object.keys(fields)[0] ?? '';
  if (!isExplained(kind)) throw new CommandError(59, `'${kind}' cannot be explained`);
  // EXPLAIN ANALYZE would execute a write.
  const reads = kind === 'find' || kind === 'aggregate' || kind === 'count' || kind === 'distinct';
  const run = reads && verbosity !== 'queryPlanner';
  const [plan] = await sql.row(explain(kind, run), [command.database, inner]);
  return explainReply(`${command.database}.${String(fields[kind])}`, plan, run);
}

async function drop({ sql }: Context, command: Command): Promise<Reply> {
  const [dropped] = await sql.row(SQL.drop, [command.database, command.collection]);
  return dropped === false ? { ns: `${command.database}.${command.collection}`, ...OK } : OK;
}

async function listDatabases({ sql }: Context, command: Command): Promise<Reply> {
  return bytes((await sql.row(SQL.listDatabases, [command.spec]))[0]);
}

const finds: Handler = opens(SQL.find);
const findsAndModifies: Handler = responds(SQL.findAndModify);
const helloHandler: Handler = ({ connection }) => hello(connection);
const ok: Handler = () => OK;

/** Some tools still send the lower-case spellings. */
export const HANDLERS: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ['hello', helloHandler],
  ['isMaster', helloHandler],
  ['ismaster', helloHandler],
  ['buildInfo', buildInfo],
  ['buildinfo', buildInfo],
  ['serverStatus', ({ cursors }) => serverStatus(cursors.size)],
  ['ping', async ({ sql }) => (await sql.row(SQL.ping, []), OK)],
  ['endSessions', ok],
  ['refreshSessions', ok],
  ['connectionStatus', () => ({ authInfo: { authenticatedUsers: [], authenticatedUserRoles: [] }, ok: 1 })],
  ['insert', writes(SQL.insert, 'documents')],
  ['update', update],
  ['delete', writes(SQL.delete, 'deletes')],
  ['findAndModify', findsAndModifies],
  ['findandmodify', findsAndModifies],
  ['find', finds],
  ['aggregate', opens(SQL.aggregate)],
  ['listCollections', opens(SQL.listCollections)],
  ['listIndexes', opens(SQL.listIndexes)],
  ['getMore', getMore],
  ['killCursors', killCursors],
  ['count', responds(SQL.count)],
  ['distinct', responds(SQL.distinct)],
  ['explain', explained],
  ['createIndexes', responds(SQL.createIndexes)],
  ['dropIndexes', async ({ sql }, c) => (await sql.row(SQL.dropIndexes, [c.database, c.spec]), OK)],
  ['create', responds(SQL.create)],
  ['drop', drop],
  [
    'dropDatabase',
    async ({ sql }, c) => (await sql.row(SQL.dropDatabase, [c.database]), { dropped: c.database, ...OK }),
  ],
  ['renameCollection', async ({ sql }, c) => bytes((await sql.row(SQL.renameCollection, [c.spec]))[0])],
  ['listDatabases', listDatabases],
  [
    'collMod',
    async ({ sql }, c) => bytes((await sql.row(SQL.collMod, [c.database, c.collection, c.spec]))[0]),
  ],
  ['collStats', async ({ sql }, c) => bytes((await sql.row(SQL.collStats, [c.database, c.collection]))[0])],
  ['dbStats', async ({ sql }, c) => bytes((await sql.row(SQL.dbStats, [c.database]))[0])],
  ['validate', responds(SQL.validate)],
]);

export const CHANGES_SCHEMA: ReadonlySet<string> = new Set([
  'createIndexes',
  'dropIndexes',
  'create',
  'drop',
  'dropDatabase',
  'renameCollection',
  'collMod',
]);
