import { readFileSync } from 'node:fs';

import { startWireProxy } from './wire-proxy';

const USAGE =
  'Usage: main.ts <port> <folder and port of PostgreSQL> <user> <file with the password> <processTag>';

/** The password comes from a file, because arguments are visible to other users. */
async function main(): Promise<void> {
  const [port, folder, postgresPort, user, passwordFile] = process.argv.slice(2);
  if (folder === undefined || user === undefined || passwordFile === undefined) throw new Error(USAGE);
  const password = readFileSync(passwordFile, 'utf8').trim();
  const proxy = await startWireProxy(
    Number(port),
    { folder, port: Number(postgresPort) },
    { user, password },
  );
  const stop = (): void => {
    setTimeout(() => process.exit(0), 2000).unref();
    void proxy.close().finally(() => process.exit(0));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  console.log(`listening on 127.0.0.1:${proxy.port}`);
}

void main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
