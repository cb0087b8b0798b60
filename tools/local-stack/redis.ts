import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { type Progress } from '../progress';
import { aptInstall } from './apt';
import { type Home } from './home';
import { answersRedis } from './ping';
import { freePort } from './ports';
import { endProcess, findOnPath, isRunning, run, startDetached, until } from './processes';
import { type RunningProcess } from './state-file';
import { StackUnavailable } from './unavailable';

const WISHED_PORT = 27718;
const START_MS = 60_000;

/** How Redis shows itself in the process list, whatever it was started with. */
function titleOf(port: number): string {
  return `127.0.0.1:${port}`;
}

function redisProgram(): string | undefined {
  return findOnPath('redis-server', process.env.PATH) ?? findOnPath('valkey-server', process.env.PATH);
}

async function installedProgram(home: Home, progress: Progress, mayInstall: boolean): Promise<string> {
  const present = redisProgram();
  if (present !== undefined) return present;
  const wayOut =
    'No Redis: set REDIS_URL to one, or put redis-server or valkey-server on the PATH, or run as root on Debian so that one can be installed.';
  if (!mayInstall) throw new StackUnavailable(wayOut);
  const log = join(home.logs, 'redis-install.log');
  try {
    await progress.step('redis-server: installing with apt-get', async () => {
      await aptInstall('redis-server', log);
      // Where systemd runs, the package has asked for a service of its own at the next boot.
      await run('systemctl', ['disable', 'redis-server'], log).catch(() => undefined);
    });
  } catch (error) {
    if (error instanceof Error) progress.say(error.message);
    throw new StackUnavailable(wayOut);
  }
  const installed = redisProgram();
  if (installed === undefined) throw new StackUnavailable(wayOut);
  return installed;
}

/** Whether the Redis of an earlier set-up is up. */
async function isRedisUp(known: RunningProcess): Promise<boolean> {
  return (await isRunning(known.pid, titleOf(known.port))) && (await answersRedis(known.port));
}

/**
 * Makes a Redis available on loopback, its data kept in the home.
 * @throws StackUnavailable when there is none and none can be installed.
 */
export async function startRedis(
  home: Home,
  known: RunningProcess | undefined,
  progress: Progress,
  mayInstall: boolean,
): Promise<RunningProcess> {
  if (known !== undefined) {
    if (await isRedisUp(known)) {
      progress.say(`is up on port ${known.port}`);
      return known;
    }
    await stopRedis(known); // alive but deaf
  }
  const program = await installedProgram(home, progress, mayInstall);
  mkdirSync(home.redisData, { recursive: true });
  const port = await freePort(known?.port, WISHED_PORT);
  const log = join(home.logs, 'redis.log');
  const settings = {
    bind: '127.0.0.1',
    port: String(port),
    dir: home.redisData,
    appendonly: 'yes',
    // Bull's jobs must never be dropped to make room.
    'maxmemory-policy': 'noeviction',
  };
  return progress.step(`${program}: starting on port ${port}`, async () => {
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
    const pid = await startDetached(program, args, log);
    const running = { pid, port };
    if (await until(() => isRedisUp(running), START_MS)) return running;
    throw new StackUnavailable(
      `No Redis: ${program} does not start, its log is ${log}; set REDIS_URL to one that runs.`,
    );
  });
}

/** Ends a Redis of ours; false when it was not running. */
export async function stopRedis(known: RunningProcess): Promise<boolean> {
  const title = titleOf(known.port);
  if (!(await isRunning(known.pid, title))) return false;
  await endProcess(known.pid, title, 'SIGTERM', 10_000);
  return true;
}
