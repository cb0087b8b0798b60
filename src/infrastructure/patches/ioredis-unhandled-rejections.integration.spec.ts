import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Subscribes over a connection that is lost, and lost again during the SUBSCRIBE of the reconnect. Exits with 0 at the
 * next reconnect.
 */
const SUBSCRIBER = `
  const net = require('node:net');
  let connections = 0;
  const server = net.createServer((socket) => {
    const number = ++connections;
    if (number === 3) process.exit();
    socket.on('data', (command) => {
      if (!command.toString().includes('subscribe')) return socket.write('+OK\\r\\n');
      if (number === 2) return socket.destroy();
      socket.write('*3\\r\\n$9\\r\\nsubscribe\\r\\n$1\\r\\na\\r\\n:1\\r\\n', () => socket.destroy());
    });
  });
  server.listen(0, '127.0.0.1', () => {
    const options = { enableReadyCheck: false, retryStrategy: () => 20, maxRetriesPerRequest: 0 };
    const redis = new Redis(server.address().port, '127.0.0.1', { ...options, disableClientInfo: true });
    redis.on('error', () => undefined);
    redis.subscribe('a').catch(() => undefined);
  });
`;

const run = promisify(execFile);

/** @param importRedis the statement that declares the class `Redis`. */
async function subscribeWith(importRedis: string): Promise<string> {
  try {
    await run(process.execPath, ['--require', 'tsx/cjs', '--eval', importRedis + SUBSCRIBER]);
    return '';
  } catch (failure) {
    return (failure as { readonly stderr: string }).stderr;
  }
}

describe('ioredis, when a connection drops again while it resubscribes', () => {
  it('ends the process; if this fails, the patch can be removed', async () => {
    const failure = await subscribeWith(`const { Redis } = require('ioredis');`);
    expect(failure).toContain('MaxRetriesPerRequestError');
  });

  it('reconnects with the patch', async () => {
    const patch = join(__dirname, 'ioredis-unhandled-rejections.ts');
    const failure = await subscribeWith(
      `const { ResilientRedis: Redis } = require(${JSON.stringify(patch)});`,
    );
    expect(failure).toBe('');
  });
});
