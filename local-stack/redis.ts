import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { type Progress } from './progress';
import { aptInstall } from './apt';
import { redisPassword } from './credentials';
import { type Home } from './home';
import { isRedisResponding } from './ping';
import { freePort } from './ports';
import { findOnPath, isRunning, run, until } from './processes';
import { earlierProcesses, stopEarlier, type Program, startRecorded } from './recorded-process';
import { type RunningProcess } from './state-file';
import { StackUnavailable } from './stack-unavailable';

const PREFERRED_PORT = 27718;
const START_MS = 60_000;

const REDIS: Program = {
  name: 'redis',
  processTag: (port) => `127.0.0.1:${port}`, // from the process title of Redis
  signal: 'SIGTERM',
  stopTimeoutMs: 10_000,
};

function redisProgram(): string | undefined {
  return findOnPath('redis-server', process.env.PATH) ?? findOnPath('valkey-server', process.env.PATH);
}

async function installedProgram(home: Home, progress: Progress, mayInstall: boolean): Promise<string> {
  const present = redisProgram();
  if (present !== undefined) return present;
  const remedy =
    'No Redis: set REDIS_URL, put redis-server or valkey-server on the PATH, or run as root on Debian to install it.';
  if (!mayInstall) throw new StackUnavailable(remedy);
  const log = join(home.logs, 'redis-install.log');
  try {
    await progress.step('redis-server: installing with apt-get', async () => {
      await aptInstall('redis-server', log);
      // With systemd, the package starts Redis at the next boot.
      await run('systemctl', ['disable', 'redis-server'], log).catch(() => undefined);
    });
  } catch (error) {
    if (error instanceof Error) progress.log(error.message);
    throw new StackUnavailable(remedy);
  }
  const installed = redisProgram();
  if (installed === undefined) throw new StackUnavailable(remedy);
  return installed;
}

async function isRedisUp(home: Home, known: RunningProcess): Promise<boolean> {
  const { pid, port } = known;
  return (
    (await isRunning(pid, REDIS.processTag(port))) && (await isRedisResponding(port, redisPassword(home)))
  );
}

/** @throws StackUnavailable if Redis is missing and cannot be installed. */
export async function startRedis(
  home: Home,
  known: RunningProcess | undefined,
  progress: Progress,
  mayInstall: boolean,
): Promise<RunningProcess> {
  for (const earlier of earlierProcesses(home, REDIS, known)) {
    if (!(await isRedisUp(home, earlier))) continue;
    progress.log(`is running on port ${earlier.port}`);
    return earlier;
  }
  // It may be unresponsive, or have no password because an earlier version started it.
  await stopEarlier(home, REDIS, known);
  const program = await installedProgram(home, progress, mayInstall);
  mkdirSync(home.redisData, { recursive: true });
  const port = await freePort(known?.port, PREFERRED_PORT);
  const log = join(home.logs, 'redis.log');
  const settings = {
    bind: '127.0.0.1',
    port: String(port),
    dir: JSON.stringify(home.redisData),
    requirepass: redisPassword(home),
    appendonly: 'yes',
    // Bull's jobs must not be evicted.
    'maxmemory-policy': 'noeviction',
  };
  return progress.step(`${program}: starting on port ${port}`, async () => {
    // Arguments are visible to other users.
    const file = join(home.redisData, 'redis.conf');
    const lines = Object.entries(settings).map(([name, value]) => `${name} ${value}\n`);
    writeFileSync(file, lines.join(''), { mode: 0o600 });
    const running = await startRecorded(home, REDIS, port, [program, file], log);
    if (await until(() => isRedisUp(home, running), START_MS)) return running;
    throw new StackUnavailable(
      `No Redis: ${program} does not start, see ${log}; or set REDIS_URL to a running one.`,
    );
  });
}

/** @returns false if it was not running. */
export function stopRedis(home: Home, known: RunningProcess | undefined): Promise<boolean> {
  return stopEarlier(home, REDIS, known);
}
