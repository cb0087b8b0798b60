import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:net';

/**
 * Two processes with one ledger would send messages twice. The lock is a socket without a file (of Linux), which ends with its process;
 * other systems have none.
 * @returns the lock to close; undefined if another process holds it.
 */
export async function lockFolder(folder: string): Promise<Server | undefined> {
  const server = createServer((socket) => {
    socket.destroy();
  });
  if (process.platform !== 'linux') return server;
  const name = `\0messaging-gateway-phone-${createHash('sha256').update(folder).digest('hex')}`;
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen(name, () => {
      server.unref();
      resolve(server);
    });
  });
}
