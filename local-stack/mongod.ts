import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { mongo } from 'mongoose';

import { MONGODB_USER, mongodbPassword, mongodbPasswordFile } from './credentials';
import { type Home } from './home';
import { isMongodbResponding } from './ping';
import { isRunning, until } from './processes';
import { stopEarlier, type Program, startRecorded } from './recorded-process';
import { StackUnavailable } from './stack-unavailable';
import { type RunningProcess } from './state-file';

const START_MS = 60_000;

/** Error codes of MongoDB. */
const UNAUTHORIZED = 13;
const AUTHENTICATION_FAILED = 18;

const mongodOf = (home: Home): Program => ({
  name: 'mongod',
  processTag: () => home.mongodbData,
  signal: 'SIGTERM',
  stopTimeoutMs: 20_000,
});

export async function isMongodUp(home: Home, known: RunningProcess): Promise<boolean> {
  if (!(await isRunning(known.pid, home.mongodbData)) || !(await isMongodbResponding(known.port)))
    return false;
  return isPasswordAccepted(known.port, mongodbPassword(home)).catch(() => false);
}

/**
 * Starts mongod on loopback; stops it after a failure.
 * @throws StackUnavailable if the data was created with another password; otherwise an Error that names the log.
 */
export async function startMongod(home: Home, program: string, port: number): Promise<RunningProcess> {
  mkdirSync(home.mongodbData, { recursive: true });
  const log = join(home.logs, 'mongod.log');
  const args = ['--auth', '--dbpath', home.mongodbData, '--port', String(port), '--bind_ip', '127.0.0.1'];
  const running = await startRecorded(home, mongodOf(home), port, [program, ...args], log);
  try {
    if (!(await until(() => isMongodbResponding(port), START_MS)))
      throw new Error(`${program} does not start; its log is ${log}.`);
    await ensureUser(home, port);
    return running;
  } catch (error) {
    await stopMongod(home, running);
    throw error;
  }
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

async function isPasswordAccepted(port: number, password: string): Promise<boolean> {
  const uri = `mongodb://${MONGODB_USER}:${password}@127.0.0.1:${port}/?authSource=admin`;
  try {
    await withClient(uri, (admin) => admin.command({ ping: 1 }));
    return true;
  } catch (error) {
    if (codeOf(error) === AUTHENTICATION_FAILED) return false;
    throw error;
  }
}

/** mongod lets a client on loopback create the first user. */
async function ensureUser(home: Home, port: number): Promise<void> {
  const password = mongodbPassword(home);
  if (await isPasswordAccepted(port, password)) return;
  try {
    await withClient(`mongodb://127.0.0.1:${port}/`, (admin) =>
      admin.command({ createUser: MONGODB_USER, pwd: password, roles: ['root'] }),
    );
  } catch (error) {
    if (codeOf(error) !== UNAUTHORIZED) throw error;
    throw new StackUnavailable(
      `No MongoDB: the data in ${home.mongodbData} was created with another password than the one in ${mongodbPasswordFile(home)}. ` +
        'Restore that file, or remove the folder to start with an empty database.',
    );
  }
}

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;

/** @returns false if it was not running. */
export function stopMongod(home: Home, known: RunningProcess | undefined): Promise<boolean> {
  return stopEarlier(home, mongodOf(home), known);
}
