import { startFront } from './front';

/** The front as a process of its own: `main.ts <port> <port of PostgreSQL> <mark>`; the mark tells whose it is. */
async function main(): Promise<void> {
  const [port, postgresPort] = process.argv.slice(2).map(Number);
  if (port === undefined || postgresPort === undefined)
    throw new Error('Usage: main.ts <port> <port of PostgreSQL>');
  const front = await startFront(port, postgresPort);
  const stop = (): void => {
    setTimeout(() => process.exit(0), 2000).unref();
    void front.close().finally(() => process.exit(0));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  console.log(`listening on 127.0.0.1:${front.port}`);
}

void main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
