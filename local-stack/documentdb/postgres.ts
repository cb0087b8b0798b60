import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';

import { type Home } from '../home';
import { freePort } from '../ports';
import { stopProcess, isRunning } from '../processes';
import { type RunningProcess } from '../state-file';
import { dataFolder, debianOf, POSTGRES_DATA, runAsPostgres, runInside } from './chroot';
import { socketFolder } from './proxy/socket-folder';
import { POSTGRES_BIN } from './install';
import { DATABASE_SETTINGS, POSTGRES_ACCESS, POSTGRES_SETTINGS } from './postgres-settings';

const PREFERRED_PORT = 27719;
const ATTEMPTS = 60;
const CONFIGURATION = 'local-stack.conf';

interface RecordedServer extends RunningProcess {
  readonly socketFolder: string;
}

/** Reads postmaster.pid, which a killed server leaves behind. */
async function readPidFile(home: Home): Promise<RecordedServer | undefined> {
  const file = join(dataFolder(home), 'postmaster.pid');
  if (!existsSync(file)) return undefined;
  const lines = readFileSync(file, 'utf8').split('\n');
  const [pid, port] = [Number(lines[0]), Number(lines[3])];
  if (!pid || !port || !(await isRunning(pid, home.processTag))) return undefined;
  return { pid, port, socketFolder: lines[4] ?? '' };
}

async function query(home: Home, port: number, text: string): Promise<void> {
  const client = new Client({
    host: socketFolder(dataFolder(home)),
    port,
    user: 'postgres',
    database: 'postgres',
    connectionTimeoutMillis: 2000,
  });
  client.on('error', () => undefined); // the query fails as well
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

async function isResponding(home: Home, port: number): Promise<boolean> {
  try {
    await query(home, port, 'SELECT 1');
    return true;
  } catch {
    return false;
  }
}

export async function runningPostgres(home: Home): Promise<RunningProcess | undefined> {
  const server = await readPidFile(home);
  if (server === undefined || !(await isResponding(home, server.port))) return undefined;
  return { pid: server.pid, port: server.port };
}

async function startServer(home: Home, port: number, log: string): Promise<RunningProcess> {
  const debian = debianOf(home);
  await runInside(debian, ['install', '-d', '-o', 'postgres', '-g', 'postgres', '/run/postgresql'], log);
  const files = { ...POSTGRES_ACCESS, [CONFIGURATION]: POSTGRES_SETTINGS };
  for (const [name, text] of Object.entries(files))
    await writeFile(join(dataFolder(home), name), text, { mode: 0o644 });
  const options = `-p ${port} -c config_file=${POSTGRES_DATA}/${CONFIGURATION} -c cluster_name=${home.processTag}`;
  const start = ['-D', POSTGRES_DATA, '-o', options, '-l', `${POSTGRES_DATA}/server.log`, '-w', 'start'];
  // After a kill -9, a start can fail while the children of the old server exit.
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    await runAsPostgres(debian, [`${POSTGRES_BIN}/pg_ctl`, ...start], log).catch(() => pause(500));
    const server = await runningPostgres(home);
    if (server !== undefined) return server;
  }
  throw new Error(`PostgreSQL does not start; see ${log} and server.log in ${dataFolder(home)}.`);
}

/** Starts PostgreSQL, unless it runs, and applies the current settings. @throws Error that names the log. */
export async function startPostgres(home: Home, preferredPort: number | undefined): Promise<RunningProcess> {
  const server = (await runningPostgres(home)) ?? (await replaceServer(home, preferredPort));
  // The set-up that started it may have been killed before this.
  await query(home, server.port, DATABASE_SETTINGS);
  return server;
}

async function replaceServer(home: Home, preferredPort: number | undefined): Promise<RunningProcess> {
  const older = await readPidFile(home);
  // Earlier versions listened on a port, without a password.
  if (older !== undefined && older.socketFolder !== POSTGRES_DATA) await stopPostgres(home);
  const port = await freePort(preferredPort, PREFERRED_PORT);
  return startServer(home, port, join(home.logs, 'postgres.log'));
}

/** Shuts PostgreSQL down in "fast" mode. @returns false if it was not running. */
export async function stopPostgres(home: Home): Promise<boolean> {
  const server = await readPidFile(home);
  if (server === undefined) return false;
  await stopProcess(server.pid, home.processTag, 'SIGINT', 30_000);
  return true;
}
