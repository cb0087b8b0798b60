import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { MONGODB_USER, mongodbPassword, mongodbPasswordFile } from '../credentials';
import { type Home } from '../home';
import { isMongodbResponding } from '../ping';
import { freePort } from '../ports';
import { stopProcess, isRunning, until } from '../processes';
import { stopEarlier, type Program, startRecorded } from '../recorded-process';
import { type StackState } from '../state-file';
import { typescriptProgram } from '../typescript-program';
import { dataFolder } from './chroot';

export type RunningProxy = NonNullable<NonNullable<StackState['mongodb']>['proxy']>;

const FOLDER = join(__dirname, 'proxy');
const PREFERRED_PORT = 27717;
const START_MS = 20_000;

const proxyOf = (home: Home): Program => ({
  name: 'proxy',
  processTag: () => home.processTag,
  signal: 'SIGTERM',
  stopTimeoutMs: 5_000,
});

/** A hash of the sources and the password: if one of them changes, the proxy is restarted. */
function fingerprintOf(home: Home): string {
  const hash = createHash('sha256').update(mongodbPassword(home));
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'));
  for (const name of files.sort()) hash.update(name).update(readFileSync(join(FOLDER, name)));
  return hash.digest('hex').slice(0, 16);
}

/** Whether the recorded proxy runs the current sources with the current password, and reaches PostgreSQL. */
export async function isProxyUp(home: Home, known: RunningProxy): Promise<boolean> {
  if (known.fingerprint !== fingerprintOf(home)) return false;
  return (await isRunning(known.pid, home.processTag)) && (await isMongodbResponding(known.port));
}

/**
 * Starts the proxy as a background process and stops an older one.
 * @throws Error that names the log if it does not respond.
 */
export async function startProxyProcess(
  home: Home,
  known: RunningProxy | undefined,
  postgresPort: number,
): Promise<RunningProxy> {
  await stopProxyProcess(home, known);
  const port = await freePort(known?.port, PREFERRED_PORT);
  const log = join(home.logs, 'proxy.log');
  const [program, ...args] = typescriptProgram(join(FOLDER, 'main.ts'));
  const postgres = [dataFolder(home), String(postgresPort)];
  const own = [String(port), ...postgres, MONGODB_USER, mongodbPasswordFile(home), home.processTag];
  const running = await startRecorded(home, proxyOf(home), port, [program, ...args, ...own], log);
  if (await until(() => isMongodbResponding(port), START_MS))
    return { ...running, fingerprint: fingerprintOf(home) };
  await stopProcess(running.pid, home.processTag, 'SIGKILL', 2000);
  throw new Error(`The MongoDB proxy does not respond; its log is ${log}.`);
}

/** @returns false if it was not running. */
export function stopProxyProcess(home: Home, known: RunningProxy | undefined): Promise<boolean> {
  return stopEarlier(home, proxyOf(home), known);
}
