import { type Document } from 'bson';
import { DatabaseError } from 'pg';

import { type Command } from './command';
import { ConflictRetry } from './conflict-retry';
import { Cursors } from './cursors';
import { explainViolation } from './duplicate-key';
import { asCommandError, CommandError } from './errors';
import { CHANGES_SCHEMA, type Handler, HANDLERS } from './handlers';
import { type Postgres, type SqlRunner } from './sql';
import { SQL } from './statements';
import { Transactions } from './transactions';
import { KeyedQueue } from './keyed-queue';
import { type Reply } from './wire-message';

const SWEEP_MS = 60_000;

/** A write conflict, or a database that was unavailable. */
const TRANSIENT_CODES: ReadonlySet<number> = new Set([6, 91, 112]);

/** Routes each command to its handler and a connection, and converts failures to MongoDB's errors. */
export class Dispatcher {
  private readonly cursors = new Cursors();
  private readonly transactions: Transactions;
  private readonly schemaChanges = new KeyedQueue();
  private readonly conflictRetry = new ConflictRetry();
  private readonly sweep: NodeJS.Timeout;

  constructor(private readonly postgres: Postgres) {
    this.transactions = new Transactions(postgres);
    this.sweep = setInterval(() => void this.dropIdleCursors(), SWEEP_MS).unref();
  }

  /** @throws CommandError */
  async execute(command: Command, connection: number): Promise<Reply> {
    const { name, session, transaction } = command;
    try {
      if (name === 'endSessions') return { ok: 1 };
      if (transaction === undefined || session === undefined)
        return await this.executeSingle(command, connection);
      if (name === 'commitTransaction') return await this.ended(this.transactions.commit(session));
      if (name === 'abortTransaction') return await this.ended(this.transactions.abort(session));
      return await this.inTransaction(command, session, transaction.starts, connection);
    } catch (error) {
      throw await this.toCommandError(error, command);
    }
  }

  /** Rolls back the transactions of a closed socket. */
  connectionClosed(connection: number): Promise<void> {
    return this.transactions.abortOf(connection);
  }

  async close(): Promise<void> {
    clearInterval(this.sweep);
    await this.transactions.abortAll();
    await this.postgres.close();
  }

  private async ended(end: Promise<void>): Promise<Document> {
    await end;
    return { ok: 1 };
  }

  private executeSingle(command: Command, connection: number): Promise<Reply> {
    const handler = handlerOf(command);
    const run = (sql: SqlRunner) => this.handle(handler, sql, command, connection);
    const { database, collection, maxTimeMs = 0 } = command;
    const settle = (attempt: () => Promise<Reply>) =>
      this.conflictRetry.run(`${database}.${collection}`, attempt);
    if (CHANGES_SCHEMA.has(command.name)) {
      // Concurrent schema changes of a database lock the same catalog rows in different orders.
      return this.schemaChanges.run(database, () => settle(() => run(this.postgres)));
    }
    return settle(() => (maxTimeMs > 0 ? this.postgres.within(maxTimeMs, run) : run(this.postgres)));
  }

  private async inTransaction(
    command: Command,
    session: string,
    starts: boolean,
    connection: number,
  ): Promise<Reply> {
    const handler = handlerOf(command);
    const sql = starts
      ? await this.transactions.start(session, connection)
      : this.transactions.in(session, connection);
    try {
      const reply = await this.handle(handler, sql, command, connection);
      // As in MongoDB, a write error ends the transaction.
      if (!Buffer.isBuffer(reply) && 'writeErrors' in reply) await this.transactions.abort(session);
      return reply;
    } catch (error) {
      await this.transactions.abort(session);
      const known = await this.toCommandError(error, command);
      if (!TRANSIENT_CODES.has(known.code)) throw known;
      throw new CommandError(known.code, known.message, { errorLabels: ['TransientTransactionError'] });
    }
  }

  private async handle(
    handler: Handler,
    sql: SqlRunner,
    command: Command,
    connection: number,
  ): Promise<Reply> {
    return handler({ sql, cursors: this.cursors, connection }, command);
  }

  private async toCommandError(error: unknown, command: Command): Promise<CommandError> {
    if (error instanceof DatabaseError && (error.code === '23505' || error.code === '23P01')) {
      return explainViolation(this.postgres, command, error).catch(asCommandError);
    }
    return asCommandError(error);
  }

  private async dropIdleCursors(): Promise<void> {
    const idle = this.cursors.dropIdle();
    if (idle.length === 0) return;
    // The extension removes their result files within an hour anyway.
    await this.postgres.row(SQL.deleteCursors, [`{${idle.join(',')}}`]).catch(() => undefined);
  }
}

function handlerOf(command: Command): Handler {
  const handler = HANDLERS.get(command.name);
  if (handler === undefined) throw new CommandError(59, `no such command: '${command.name}'`);
  return handler;
}
