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

/** A free loopback port: the first of those wished for that is free, else any. */
export async function freePort(...wished: readonly (number | undefined)[]): Promise<number> {
  for (const port of [...wished.filter((wish) => wish !== undefined), 0]) {
    const free = await bind(port);
    if (free !== undefined) return free;
  }
  throw new Error('No port is free on 127.0.0.1.');
}
