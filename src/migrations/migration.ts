import type { mongo } from 'mongoose';

/** What a migration works with. */
export interface MigrationContext {
  readonly db: mongo.Db;
  /**
   * Call it before each batch, and keep a batch far below a minute. Only the process that holds the lease goes on.
   * @throws MigrationInterrupted when the process stops or has lost the lease; another process then continues.
   */
  readonly checkpoint: () => void;
}

/**
 * A change to stored data. It can run twice, can be interrupted between any two writes, and only adds: processes of the
 * version before read and write the same documents while it runs, and after.
 */
export interface Migration {
  /** The name of its file: a number of four digits, then what it does. It is recorded, so it never changes. */
  readonly name: string;
  run(context: MigrationContext): Promise<void>;
}

/** Not a failure: the migration is continued later, from the documents that are not yet changed. */
export class MigrationInterrupted extends Error {
  constructor(reason: string) {
    super(`Interrupted, and continued by the next run: ${reason}`);
  }
}
