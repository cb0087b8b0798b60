import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { mongo } from 'mongoose';

import { MONGODB_USER, mongodbPassword } from './credentials';
import { type Home } from './home';
import { answersMongodb } from './ping';
import { isRunning, until } from './processes';
import { stopEarlier, type Program, startRecorded } from './recorded-process';
import { type RunningProcess } from './state-file';

const START_MS = 60_000;

const mongodOf = (home: Home): Program => ({
  name: 'mongod',
  processTag: () => home.mongodbData,
  signal: 'SIGTERM',
  stopTimeoutMs: 20_000,
});

export async function isMongodUp(home: Home, known: RunningProcess): Promise<boolean> {
  if (!(await isRunning(known.pid, home.mongodbData)) || !(await answersMongodb(known.port))) return false;
  return takesPassword(known.port, mongodbPassword(home));
}

/** Starts mongod on loopback. @throws Error that names the log. */
export async function startMongod(home: Home, program: string, port: number): Promise<RunningProcess> {
  mkdirSync(home.mongodbData, { recursive: true });
  const log = join(home.logs, 'mongod.log');
  const args = ['--auth', '--dbpath', home.mongodbData, '--port', String(port), '--bind_ip', '127.0.0.1'];
  const running = await startRecorded(home, mongodOf(home), port, [program, ...args], log);
  if (await until(() => answersMongodb(port), START_MS)) {
    await ensureUser(port, mongodbPassword(home));
    return running;
  }
  await stopMongod(home, running);
  throw new Error(`${program} does not start; its log is ${log}.`);
}

async function withClient<T>(uri: string, work: (admin: mongo.Db) => Promise<T>): Promise<T> {
  const driver = (await import('mongoose')).mongo; // slow to load, and not needed with DocumentDB
  const client = new driver.MongoClient(uri, { directConnection: true, serverSelectionTimeoutMS: 5_000 });
  try {
    return await work(client.db('admin'));
  } finally {
    await client.close();
  }
}

async function takesPassword(port: number, password: string): Promise<boolean> {
  const uri = `mongodb://${MONGODB_USER}:${password}@127.0.0.1:${port}/?authSource=admin`;
  return withClient(uri, (admin) => admin.command({ ping: 1 })).then(
    () => true,
    () => false,
  );
}

/** mongod allows this over loopback while it has no user. */
async function ensureUser(port: number, password: string): Promise<void> {
  if (await takesPassword(port, password)) return;
  await withClient(`mongodb://127.0.0.1:${port}/`, (admin) =>
    admin.command({ createUser: MONGODB_USER, pwd: password, roles: ['root'] }),
  );
}

/** @returns false if it was not running. */
export function stopMongod(home: Home, known: RunningProcess | undefined): Promise<boolean> {
  return stopEarlier(home, mongodOf(home), known);
}
