import { once } from 'node:events';
import { createRequire } from 'node:module';
import net from 'node:net';
import { mongo } from 'mongoose';
import { repairDriver } from './driver-repair';

interface Commands {
  readonly closed: boolean;
  command(ns: unknown, command: object): Promise<unknown>;
}
const driver = createRequire(require.resolve('mongoose'));
const { Connection } = driver('mongodb/lib/cmap/connection') as {
  Connection: new (socket: net.Socket, options: object) => Commands;
};
const { ns } = driver('mongodb/lib/utils') as { ns: (name: string) => unknown };

describe('the repaired driver', () => {
  let server: net.Server;
  let far: net.Socket;
  let socket: net.Socket;
  let connection: Commands;

  beforeAll(repairDriver);
  beforeEach(async () => {
    server = net.createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address() as net.AddressInfo;
    const arrives = once(server, 'connection') as Promise<[net.Socket]>;
    socket = net.connect(address.port, address.address);
    [far] = await arrives;
    far.on('error', () => undefined);
    connection = new Connection(socket, { id: 1, generation: 1, hostAddress: `127.0.0.1:${address.port}` });
  });
  afterEach(() => {
    far.destroy();
    socket.destroy();
    server.close();
  });
  const hello = () => connection.command(ns('admin.$cmd'), { hello: 1 });

  it('ends a command written to a socket that is gone and has not said so yet', async () => {
    socket.destroy();
    expect(connection.closed).toBe(false);
    await expect(hello()).rejects.toThrow(mongo.MongoNetworkError);
  });

  it('ends a command written after the server hung up as a network failure, not as a bare error', async () => {
    const failure = new Promise<unknown>((resolve) =>
      socket.once('end', () => {
        hello().catch(resolve);
      }),
    );
    far.end();
    expect(await failure).toBeInstanceOf(mongo.MongoNetworkError);
  });

  it('leaves a command that waits for its answer to fail when the connection does', async () => {
    const waiting = hello();
    await once(far, 'data');
    far.destroy();
    await expect(waiting).rejects.toThrow(mongo.MongoNetworkError);
  });
});
