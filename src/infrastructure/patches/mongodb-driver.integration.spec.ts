import { once } from 'node:events';
import { createRequire } from 'node:module';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { mongo } from 'mongoose';
import { patchMongodbDriver } from './mongodb-driver';

interface Commands {
  readonly closed: boolean;
  command(ns: unknown, command: object): Promise<unknown>;
}
type ConnectionClass = new (socket: net.Socket, options: object) => Commands;
const driver = createRequire(require.resolve('mongoose'));
const loadConnectionClass = () =>
  (driver('mongodb/lib/cmap/connection') as { Connection: ConnectionClass }).Connection;

/** From a second copy of the driver, because the patch cannot be undone. */
function loadUnpatchedConnectionClass(): ConnectionClass {
  const { cache } = driver;
  const loaded = Object.keys(cache).filter((file) => file.includes('/node_modules/mongodb/'));
  const modules = loaded.map((file) => [file, cache[file]]);
  for (const file of loaded) Reflect.deleteProperty(cache, file);
  try {
    return loadConnectionClass();
  } finally {
    Object.assign(cache, Object.fromEntries(modules));
  }
}

const { ns } = driver('mongodb/lib/utils') as { ns: (name: string) => unknown };

/** How long the unpatched driver is given to fail a command after the connection has ended. */
const HANG_MS = 1_000;

describe('the MongoDB driver', () => {
  let server: net.Server;
  let far: net.Socket;
  let socket: net.Socket;
  let connection: Commands;
  let ConnectionUnderTest: ConnectionClass;

  beforeEach(async () => {
    server = net.createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address() as net.AddressInfo;
    const arrives = once(server, 'connection') as Promise<[net.Socket]>;
    socket = net.connect(address.port, address.address);
    [far] = await arrives;
    far.on('error', () => undefined);
    connection = new ConnectionUnderTest(socket, {
      id: 1,
      generation: 1,
      hostAddress: `127.0.0.1:${address.port}`,
    });
  });
  afterEach(() => {
    far.destroy();
    socket.destroy();
    server.close();
  });
  const hello = () => connection.command(ns('admin.$cmd'), { hello: 1 });

  describe('without the patch', () => {
    beforeAll(() => {
      ConnectionUnderTest = loadUnpatchedConnectionClass();
    });

    it('lets a command hang that is written before the close event; if this fails, the patch can be removed', async () => {
      const closed = once(socket, 'close');
      socket.destroy();
      const command = hello().then(
        () => 'answered',
        () => 'failed',
      );
      await closed;
      expect(connection.closed).toBe(true);
      expect(await Promise.race([command, sleep(HANG_MS, 'hangs')])).toBe('hangs');
    });
  });

  describe('with the patch', () => {
    beforeAll(() => {
      patchMongodbDriver();
      ConnectionUnderTest = loadConnectionClass();
    });

    it('fails a command that is written to a destroyed socket before its close event', async () => {
      socket.destroy();
      expect(connection.closed).toBe(false);
      await expect(hello()).rejects.toThrow(mongo.MongoNetworkError);
    });

    it('fails a command with a MongoNetworkError when the server has ended the connection', async () => {
      const failure = new Promise<unknown>((resolve) =>
        socket.once('end', () => {
          hello().catch(resolve);
        }),
      );
      far.end();
      expect(await failure).toBeInstanceOf(mongo.MongoNetworkError);
    });

    it('fails a command that waits for its response when the connection is lost', async () => {
      const waiting = hello();
      await once(far, 'data');
      far.destroy();
      await expect(waiting).rejects.toThrow(mongo.MongoNetworkError);
    });
  });
});
