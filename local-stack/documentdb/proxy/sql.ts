import { Pool, type PoolClient } from 'pg';

import { socketFolder } from './socket-folder';

/** A prepared statement. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export type SqlValue = string | number | Buffer | null;

export type Column = Buffer | string | number | boolean | null;

/** Runs statements on a pooled connection or in a transaction. */
export interface SqlRunner {
  /** @returns the columns of the first row. */
  row(statement: Statement, values: readonly SqlValue[]): Promise<readonly Column[]>;
  /** Whether a failed command can be retried: not in a transaction, which the failure has ended. */
  readonly mayRepeat: boolean;
}

export interface PostgresTransaction {
  readonly sql: SqlRunner;
  /**
   * Ends the transaction and releases its connection.
   * @returns false if PostgreSQL rolled back instead of committing.
   */
  end(statement: 'COMMIT' | 'ROLLBACK'): Promise<boolean>;
}

/** More connections would only cost memory and warm caches. */
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

export interface PostgresAddress {
  readonly folder: string;
  readonly port: number;
}

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
    // Open transactions must not block single commands.
    this.transactions = new Pool({ ...options, max: TRANSACTIONS, idleTimeoutMillis: 60_000 });
    for (const pool of [this.commands, this.transactions]) {
      // A broken connection fails its query; without a listener it would end the process.
      pool.on('error', () => undefined);
      pool.on('connect', (client) => {
        client.on('error', () => undefined);
      });
    }
  }

  row(statement: Statement, values: readonly SqlValue[]): Promise<readonly Column[]> {
    return firstRow(this.commands, statement, values);
  }

  /** Runs work on one connection with a statement timeout. */
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
    // PostgreSQL rolls a failed transaction back on COMMIT.
    return command === statement;
  } finally {
    client.release(broken);
  }
}

function runnerOn(client: PoolClient, mayRepeat: boolean): SqlRunner {
  return { mayRepeat, row: (statement, values) => firstRow(client, statement, values) };
}

const BSON_TEXT = 'BSONHEX';

/** @throws TypeError unless the column holds bytes or a document in the extension's text format. */
export function bytes(column: Column | undefined): Buffer {
  if (Buffer.isBuffer(column)) return column;
  if (typeof column === 'string' && column.startsWith(BSON_TEXT)) {
    return Buffer.from(column.slice(BSON_TEXT.length), 'hex');
  }
  throw new TypeError('PostgreSQL returned no document.');
}
