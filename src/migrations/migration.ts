import type { mongo } from 'mongoose';
import { formatError } from '../common/format-error';

export interface MigrationContext {
  readonly db: mongo.Db;
  /**
   * Call it before each batch, and keep batches far below the lease of a minute.
   * @throws MigrationInterrupted when the process stops or has lost the lease; another process then continues.
   */
  readonly checkpoint: () => void;
}

/**
 * A change to stored data. It is idempotent and can be interrupted between any two writes. It adds data, and changes a value
 * only if processes of the previous version tolerate that: they read and write the same documents during and after the run.
 */
export interface Migration {
  /** The name of its file: a number of four digits, then what it does. It is stored, so it must not change. */
  readonly name: string;
  run(context: MigrationContext): Promise<void>;
}

/** Not a failure: the next run continues with the documents that are not migrated yet. */
export class MigrationInterrupted extends Error {
  constructor(migration: string, reason: string) {
    super(`Migration ${migration} interrupted, the next run continues it: ${reason}`);
  }
}

/** Migrations before it stay finished; the next run repeats it. */
export class MigrationFailed extends Error {
  constructor(migration: string, cause: unknown) {
    super(`Migration ${migration} failed: ${formatError(cause)}`, { cause });
  }
}
