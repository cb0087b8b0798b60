import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { type Home } from './home';
import { stopProcess, isRunning, startDetached, until } from './processes';
import { typescriptProgram } from './typescript-program';

/** A download without progress for this long is aborted. */
const IDLE_TIMEOUT_MS = 12_000;

function programFile(home: Home): string {
  return join(home.mongodDownloads, 'program');
}

export function downloadedMongod(home: Home): string | undefined {
  const note = programFile(home);
  const program = existsSync(note) ? readFileSync(note, 'utf8').trim() : '';
  return program !== '' && existsSync(program) ? program : undefined;
}

export function downloadFailedAt(home: Home): number | undefined {
  return existsSync(home.downloadFailure) ? statSync(home.downloadFailure).mtimeMs : undefined;
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0)
    .reduce((sum, size) => sum + size, 0);
}

/** Downloads mongod in a separate process and records a failure. @throws Error that names the log. */
export async function downloadMongod(home: Home): Promise<string> {
  mkdirSync(home.mongodDownloads, { recursive: true });
  const log = join(home.logs, 'mongod-download.log');
  const [program, ...args] = typescriptProgram(join(__dirname, 'download-mongod.ts'));
  const pid = await startDetached(program, [...args, home.mongodDownloads, programFile(home)], log);
  let bytes = -1;
  let lastProgressAt = performance.now();
  await until(async () => {
    const now = bytesIn(home.mongodDownloads);
    if (now !== bytes) {
      bytes = now;
      lastProgressAt = performance.now();
    }
    return (
      !(await isRunning(pid, home.mongodDownloads)) || performance.now() - lastProgressAt > IDLE_TIMEOUT_MS
    );
  }, Infinity);
  await stopProcess(pid, home.mongodDownloads, 'SIGKILL', 2000);
  const downloaded = downloadedMongod(home);
  if (downloaded === undefined) {
    writeFileSync(home.downloadFailure, '');
    throw new Error(`mongod could not be downloaded (see ${log}); the next attempt is in a day.`);
  }
  rmSync(home.downloadFailure, { force: true });
  return downloaded;
}
