import { Pool, type PoolClient } from 'pg';

import { socketFolder } from './socket-folder';

/** An SQL text that is planned once per connection, under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export type SqlValue = string | number | Buffer | null;

/** One column of a result, as PostgreSQL's text format gives it. */
export type Column = Buffer | string | number | boolean | null;

/** Runs statements: on any connection of the pool, or on the one that holds a transaction. */
export interface SqlRunner {
  /** The columns of the first row. */
  row(statement: Statement, values: readonly SqlValue[]): Promise<readonly Column[]>;
  /** Whether a failed command may simply be sent again: not within a transaction, which its failure has ended. */
  readonly mayRepeat: boolean;
}

/** An open transaction of PostgreSQL. */
export interface PostgresTransaction {
  readonly sql: SqlRunner;
  /** Ends it and gives its connection back; false when PostgreSQL did otherwise than told. */
  end(statement: 'COMMIT' | 'ROLLBACK'): Promise<boolean>;
}

/** Twice the processors and room for some waiting on locks: more connections only cost memory and warm caches. */
const POOLED = 20;
const TRANSACTIONS = 20;

async function firstRow(
  client: Pick<PoolClient, 'query'>,
  { name, text }: Statement,
  values: readonly SqlValue[],
): Promise<readonly Column[]> {
  const { rows } = await client.query<Column[]>({ name, text, values: [...values], rowMode: 'array' });
  return rows[0] ?? [];
}

/** The folder of PostgreSQL's socket, which only root and PostgreSQL's own user can open, and its port. */
export interface PostgresAddress {
  readonly folder: string;
  readonly port: number;
}

/** The connections to PostgreSQL. */
export class Postgres implements SqlRunner {
  readonly mayRepeat = true;
  private readonly commands: Pool;
  private readonly transactions: Pool;

  constructor({ folder, port }: PostgresAddress) {
    const options = {
      host: socketFolder(folder),
      port,
      user: 'postgres',
      database: 'postgres',
      keepAlive: true,
    };
    this.commands = new Pool({ ...options, max: POOLED, idleTimeoutMillis: 300_000 });
    // Apart, so that open transactions never keep single commands waiting for a connection.
    this.transactions = new Pool({ ...options, max: TRANSACTIONS, idleTimeoutMillis: 60_000 });
    for (const pool of [this.commands, this.transactions]) {
      // A connection that breaks fails its query, or leaves the pool; without listeners the process would end as well.
      pool.on('error', () => undefined);
      pool.on('connect', (client) => {
        client.on('error', () => undefined);
      });
    }
  }

  row(statement: Statement, values: readonly SqlValue[]): Promise<readonly Column[]> {
    return firstRow(this.commands, statement, values);
  }

  /** Runs a piece of work on one connection, with a time limit that PostgreSQL keeps. */
  async within<T>(milliseconds: number, work: (sql: SqlRunner) => Promise<T>): Promise<T> {
    const client = await this.commands.connect();
    let broken: Error | undefined;
    try {
      await client.query(`SET statement_timeout = ${Math.ceil(milliseconds)}`);
      return await work(runnerOn(client, true));
    } finally {
      await client.query('RESET statement_timeout').catch((error: unknown) => {
        broken = error instanceof Error ? error : new Error(String(error));
      });
      client.release(broken);
    }
  }

  /** Opens a transaction on a connection that is its own until it ends. */
  async begin(): Promise<PostgresTransaction> {
    const client = await this.transactions.connect();
    try {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    } catch (error) {
      client.release(true);
      throw error;
    }
    return { sql: runnerOn(client, false), end: (statement) => endTransaction(client, statement) };
  }

  async close(): Promise<void> {
    await Promise.all([this.commands.end(), this.transactions.end()]);
  }
}

async function endTransaction(client: PoolClient, statement: 'COMMIT' | 'ROLLBACK'): Promise<boolean> {
  let broken = true;
  try {
    const { command } = await client.query(statement);
    broken = false;
    // PostgreSQL answers the COMMIT of a failed transaction by rolling it back.
    return command === statement;
  } finally {
    client.release(broken);
  }
}

/** Statements on one connection. */
function runnerOn(client: PoolClient, mayRepeat: boolean): SqlRunner {
  return { mayRepeat, row: (statement, values) => firstRow(client, statement, values) };
}

const BSON_TEXT = 'BSONHEX';

/** A column that must hold bytes, or a document in the extension's text format. */
export function bytes(column: Column | undefined): Buffer {
  if (Buffer.isBuffer(column)) return column;
  if (typeof column === 'string' && column.startsWith(BSON_TEXT)) {
    return Buffer.from(column.slice(BSON_TEXT.length), 'hex');
  }
  throw new TypeError('PostgreSQL answered without a document.');
}
