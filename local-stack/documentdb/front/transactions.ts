import { CommandError } from './errors';
import { type PostgresTransaction, type SqlRunner } from './sql';

/** MongoDB's default lifetime of a transaction (transactionLifetimeLimitSeconds). */
const IDLE_MS = 60_000;

interface OpenTransaction {
  readonly inner: PostgresTransaction;
  /** The socket that last used it: when that closes, nobody will end the transaction. */
  connection: number;
  idle: NodeJS.Timeout;
}

/** Multi-document transactions, each on a PostgreSQL connection of its own, by client session. */
export class Transactions {
  private readonly open = new Map<string, OpenTransaction>();

  constructor(
    private readonly postgres: { begin(): Promise<PostgresTransaction> },
    private readonly idleMs: number = IDLE_MS,
  ) {}

  /** Starts a transaction for a session; one that is still open there is rolled back. */
  async start(session: string, connection: number): Promise<SqlRunner> {
    await this.abort(session);
    const inner = await this.postgres.begin();
    this.open.set(session, { inner, connection, idle: this.timer(session) });
    return inner.sql;
  }

  /**
   * The connection that holds a session's transaction.
   * @throws CommandError 251 when there is none: it was ended, or it failed.
   */
  in(session: string, connection: number): SqlRunner {
    const transaction = this.open.get(session);
    if (transaction === undefined) throw noTransaction();
    transaction.connection = connection;
    clearTimeout(transaction.idle);
    transaction.idle = this.timer(session);
    return transaction.inner.sql;
  }

  /**
   * Commits a session's transaction.
   * @throws CommandError 251 when there is none.
   */
  async commit(session: string): Promise<void> {
    if (!(await this.end(session, 'COMMIT'))) throw noTransaction();
  }

  /** Rolls a session's transaction back, if there is one. */
  async abort(session: string): Promise<void> {
    await this.end(session, 'ROLLBACK').catch(() => false); // a connection that broke has rolled back already
  }

  /** Rolls back what a closed socket left open. */
  async abortOf(connection: number): Promise<void> {
    const left = [...this.open].filter(([, transaction]) => transaction.connection === connection);
    await Promise.all(left.map(([session]) => this.abort(session)));
  }

  async abortAll(): Promise<void> {
    await Promise.all([...this.open.keys()].map((session) => this.abort(session)));
  }

  private timer(session: string): NodeJS.Timeout {
    return setTimeout(() => void this.abort(session), this.idleMs).unref();
  }

  private async end(session: string, statement: 'COMMIT' | 'ROLLBACK'): Promise<boolean> {
    const transaction = this.open.get(session);
    if (transaction === undefined) return false;
    this.open.delete(session);
    clearTimeout(transaction.idle);
    return transaction.inner.end(statement);
  }
}

function noTransaction(): CommandError {
  return new CommandError(251, 'The transaction has been ended.', {
    errorLabels: ['TransientTransactionError'],
  });
}
