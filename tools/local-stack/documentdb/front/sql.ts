import { setTimeout as pause } from 'node:timers/promises';
import { Pool, type PoolClient } from 'pg';

import { isPassing } from './errors';

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

const ATTEMPTS = 8;

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

/** The connections to PostgreSQL. */
export class Postgres implements SqlRunner {
  readonly mayRepeat = true;
  private readonly commands: Pool;
  private readonly transactions: Pool;

  constructor(port: number) {
    const options = { host: '127.0.0.1', port, user: 'postgres', database: 'postgres', keepAlive: true };
    this.commands = new Pool({ ...options, max: POOLED, idleTimeoutMillis: 300_000 });
    // Apart, so that open transactions never keep single commands waiting for a connection.
    this.transactions = new Pool({ ...options, max: TRANSACTIONS, idleTimeoutMillis: 60_000 });
    // An idle connection that breaks leaves the pool by itself; without a listener the process would end.
    for (const pool of [this.commands, this.transactions]) pool.on('error', () => undefined);
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

  /** A connection with an open transaction, of which the caller is the owner. */
  async begin(): Promise<PoolClient> {
    const client = await this.transactions.connect();
    try {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
      return client;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.commands.end(), this.transactions.end()]);
  }
}

/** Statements on one connection. */
export function runnerOn(client: PoolClient, mayRepeat: boolean): SqlRunner {
  return { mayRepeat, row: (statement, values) => firstRow(client, statement, values) };
}

/**
 * Runs one command, again when another one was merely in its way (deadlock, serialization, a catalog race).
 * Each command is one SQL statement: what failed has left nothing behind.
 */
export async function persistently<T>(sql: SqlRunner, command: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await command();
    } catch (error) {
      if (!sql.mayRepeat || attempt === ATTEMPTS || !isPassing(error)) throw error;
      await pause(Math.random() * 10 * 2 ** attempt);
    }
  }
}

/** A column that must hold bytes. */
export function bytes(column: Column | undefined): Buffer {
  if (Buffer.isBuffer(column)) return column;
  throw new TypeError('PostgreSQL answered without a document.');
}
