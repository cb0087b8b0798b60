import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mongo } from 'mongoose';
import { OwnStack } from '../test/chaos/own-stack';
import { dropDatabase } from './drop-database';
import type { Workbench } from './workbench';

/** A stack of one run, with an empty database and a temporary folder. */
export interface OwnDatabase {
  readonly stack: OwnStack;
  readonly database: string;
  readonly folder: string;
  readonly db: mongo.Db;
}

/** Starts a stack with an empty database, once no other bench runs. All of it is removed with the workbench. */
export async function startOwnDatabase(workbench: Workbench): Promise<OwnDatabase> {
  await workbench.acquireLock();
  const database = `bench_${Date.now().toString(36)}`;
  const folder = join(tmpdir(), 'messaging-gateway-bench', database);
  mkdirSync(folder, { recursive: true });
  workbench.defer(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const stack = await OwnStack.start('bench');
  workbench.defer(() => stack.stop());
  workbench.defer(() => dropDatabase(stack.mongodbUri, database));
  const client = await new mongo.MongoClient(stack.mongodbUri).connect();
  // First, because a run that is interrupted still writes.
  workbench.defer(() => client.close());
  return { stack, database, folder, db: client.db(database) };
}
