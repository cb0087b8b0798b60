import { type Progress } from '../progress';
import { type Home } from '../home';
import { type StackState } from '../state-file';
import { isProxyUp, startProxyProcess, stopProxyProcess } from './proxy-process';
import { installDocumentdb, makeOwnData } from './install';
import { runningPostgres, startPostgres, stopPostgres } from './postgres';

type RunningMongodb = NonNullable<StackState['mongodb']>;

export async function isDocumentdbUp(home: Home, known: RunningMongodb): Promise<boolean> {
  if (known.proxy === undefined) return false;
  const server = await runningPostgres(home);
  return server?.port === known.server.port && (await isProxyUp(home, known.proxy));
}

/**
 * Starts PostgreSQL with DocumentDB and the proxy, unless they run.
 * @throws Error that names the log of the failed step.
 */
export async function startDocumentdb(
  home: Home,
  known: RunningMongodb | undefined,
  progress: Progress,
): Promise<RunningMongodb> {
  await installDocumentdb(home, progress);
  await makeOwnData(home, progress);
  const server = await progress.step('PostgreSQL: starting', () => startPostgres(home, known?.server.port));
  const running = { source: 'documentdb', server, proxy: known?.proxy } as const;
  if (known?.server.port === server.port && (await isDocumentdbUp(home, running))) return running;
  const proxy = await progress.step('Proxy: starting', () =>
    startProxyProcess(home, known?.proxy, server.port),
  );
  return { source: 'documentdb', server, proxy };
}

/** Stops the proxy and PostgreSQL. @returns the names of those that were running. */
export async function stopDocumentdb(home: Home, known: RunningMongodb | undefined): Promise<string[]> {
  const proxy = await stopProxyProcess(home, known?.proxy);
  const postgres = await stopPostgres(home);
  return [...(proxy ? ['MongoDB proxy'] : []), ...(postgres ? ['PostgreSQL'] : [])];
}
