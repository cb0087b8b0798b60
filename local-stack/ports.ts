import { createServer } from 'node:net';

function bind(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(undefined);
    });
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address();
      server.close(() => {
        resolve(typeof address === 'object' && address !== null ? address.port : undefined);
      });
    });
  });
}

/** A free loopback port: the first free one of the preferred ports, else any. */
export async function freePort(...preferred: readonly (number | undefined)[]): Promise<number> {
  for (const port of [...preferred.filter((port) => port !== undefined), 0]) {
    const free = await bind(port);
    if (free !== undefined) return free;
  }
  throw new Error('No port is free on 127.0.0.1.');
}
