import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';

import { type Home } from '../home';
import { freePort } from '../ports';
import { endProcess, isRunning } from '../processes';
import { type RunningProcess } from '../state-file';
import { dataFolder, debianOf, POSTGRES_DATA, runAsPostgres, runInside } from './chroot';
import { POSTGRES_BIN } from './install';
import { DATABASE_SETTINGS, POSTGRES_SETTINGS } from './postgres-settings';

const WISHED_PORT = 27719;
const ATTEMPTS = 60;
const CONFIGURATION = 'local-stack.conf';

/** The server by its own note, which it keeps for as long as it runs (and, killed, beyond). */
async function noted(home: Home): Promise<RunningProcess | undefined> {
  const file = join(dataFolder(home), 'postmaster.pid');
  if (!existsSync(file)) return undefined;
  const [pid, , , port] = readFileSync(file, 'utf8').split('\n').map(Number);
  if (pid === undefined || port === undefined || !(await isRunning(pid, home.mark))) return undefined;
  return { pid, port };
}

async function query(port: number, text: string): Promise<void> {
  const client = new Client({
    host: '127.0.0.1',
    port,
    user: 'postgres',
    database: 'postgres',
    connectionTimeoutMillis: 2000,
  });
  client.on('error', () => undefined); // a server that goes away meanwhile fails the query as well
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

async function answers(port: number): Promise<boolean> {
  try {
    await query(port, 'SELECT 1');
    return true;
  } catch {
    return false;
  }
}

/** The PostgreSQL of this home, if it is up. */
export async function runningPostgres(home: Home): Promise<RunningProcess | undefined> {
  const server = await noted(home);
  return server !== undefined && (await answers(server.port)) ? server : undefined;
}

async function startServer(home: Home, port: number, log: string): Promise<RunningProcess> {
  const debian = debianOf(home);
  await runInside(debian, ['install', '-d', '-o', 'postgres', '-g', 'postgres', '/run/postgresql'], log);
  await writeFile(join(dataFolder(home), CONFIGURATION), POSTGRES_SETTINGS, { mode: 0o644 });
  const options = `-p ${port} -c config_file=${POSTGRES_DATA}/${CONFIGURATION} -c cluster_name=${home.mark}`;
  const start = ['-D', POSTGRES_DATA, '-o', options, '-l', `${POSTGRES_DATA}/server.log`, '-w', 'start'];
  // Right after a kill -9 the old server's children are still leaving and a start can be refused: try until it answers.
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    await runAsPostgres(debian, [`${POSTGRES_BIN}/pg_ctl`, ...start], log).catch(() => pause(500));
    const server = await runningPostgres(home);
    if (server !== undefined) return server;
  }
  throw new Error(`PostgreSQL does not start; see ${log} and server.log in ${dataFolder(home)}.`);
}

/**
 * Starts this home's PostgreSQL, unless it is up, and brings its settings up to date.
 * @throws Error that names the log when it does not come up.
 */
export async function startPostgres(home: Home, wishedPort: number | undefined): Promise<RunningProcess> {
  const running = await runningPostgres(home);
  if (running !== undefined) return running;
  const port = await freePort(wishedPort, WISHED_PORT);
  const server = await startServer(home, port, join(home.logs, 'postgres.log'));
  await query(server.port, DATABASE_SETTINGS);
  return server;
}

/** Ends this home's PostgreSQL in its "fast" way: sessions are ended, all is written; false when it was not running. */
export async function stopPostgres(home: Home): Promise<boolean> {
  const server = await noted(home);
  if (server === undefined) return false;
  await endProcess(server.pid, home.mark, 'SIGINT', 30_000);
  return true;
}
