import { CommandError } from './errors';
import { type PostgresTransaction, type SqlRunner } from './sql';

/** A transaction is rolled back after this time without a command. MongoDB limits its lifetime, also to a minute. */
const IDLE_MS = 60_000;

interface OpenTransaction {
  readonly inner: PostgresTransaction;
  /** The socket that used it last: when that closes, the transaction is rolled back. */
  connection: number;
  idle: NodeJS.Timeout;
}

/** The multi-document transactions by client session, each on its own PostgreSQL connection. */
export class Transactions {
  private readonly open = new Map<string, OpenTransaction>();

  constructor(
    private readonly postgres: { begin(): Promise<PostgresTransaction> },
    private readonly idleMs: number = IDLE_MS,
  ) {}

  /** Starts a transaction; an open one of the session is rolled back. */
  async start(session: string, connection: number): Promise<SqlRunner> {
    await this.abort(session);
    const inner = await this.postgres.begin();
    this.open.set(session, { inner, connection, idle: this.timer(session) });
    return inner.sql;
  }

  /** @throws CommandError 251 without an open transaction. */
  in(session: string, connection: number): SqlRunner {
    const transaction = this.open.get(session);
    if (transaction === undefined) throw noTransaction();
    transaction.connection = connection;
    clearTimeout(transaction.idle);
    transaction.idle = this.timer(session);
    return transaction.inner.sql;
  }

  /** @throws CommandError 251 without an open transaction. */
  async commit(session: string): Promise<void> {
    if (!(await this.end(session, 'COMMIT'))) throw noTransaction();
  }

  async abort(session: string): Promise<void> {
    await this.end(session, 'ROLLBACK').catch(() => false); // a broken connection is rolled back anyway
  }

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
  return new CommandError(251, 'The transaction has ended.', {
    errorLabels: ['TransientTransactionError'],
  });
}
