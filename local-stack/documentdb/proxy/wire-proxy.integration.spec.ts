import { deserialize, type Document } from 'bson';
import { mongo } from 'mongoose';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

import { MessageSplitter } from './message-splitter';
import { startWireProxy, type WireProxy } from './wire-proxy';
import { messageBytes, readRequest } from './wire-message';

const CREDENTIALS = { user: 'owner', password: 'correct horse' };
const LIMITS = { maxMessageBytes: 1024, idleMs: 3_000, maxConnections: 3 };
/** There is no PostgreSQL, so commands that reach it fail. */
const NOWHERE = { folder: '/nonexistent', port: 1 };

describe('the proxy, for peers without the password', () => {
  let proxy: WireProxy;
  let sockets: Socket[];
  beforeEach(async () => {
    sockets = [];
    proxy = await startWireProxy(0, NOWHERE, CREDENTIALS, LIMITS);
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await proxy.close();
  });

  const open = (): Socket => {
    const socket = connect(proxy.port, '127.0.0.1');
    socket.on('error', () => undefined);
    sockets.push(socket);
    return socket;
  };
  const ask = async (socket: Socket, command: Document): Promise<Document> => {
    socket.write(messageBytes({ $db: 'admin', ...command }));
    const splitter = new MessageSplitter();
    for (;;) {
      const [chunk] = (await once(socket, 'data')) as [Buffer];
      const [reply] = splitter.push(chunk);
      if (reply) return deserialize(readRequest(reply).body);
    }
  };

  it('responds to hello, and refuses a command and a transaction', async () => {
    const socket = open();
    await expect(ask(socket, { hello: 1 })).resolves.toMatchObject({ ok: 1 });
    await expect(ask(socket, { find: 'accounts' })).resolves.toMatchObject({ ok: 0, code: 13 });
    const transaction = { autocommit: false, startTransaction: true, lsid: { id: 1 } };
    await expect(ask(socket, { ping: 1, ...transaction })).resolves.toMatchObject({ ok: 0, code: 13 });
  });

  it('closes the connection if the length of a message exceeds the limit', async () => {
    const socket = open();
    const head = Buffer.alloc(16);
    head.writeInt32LE(LIMITS.maxMessageBytes + 1, 0);
    socket.write(head);
    await once(socket, 'close');
  });

  it('closes a connection that is idle', async () => {
    const socket = open();
    await ask(socket, { hello: 1 });
    await once(socket, 'close');
  });

  it('closes connections beyond the limit, and accepts new ones when earlier ones are gone', async () => {
    const held = [open(), open(), open()];
    const keepAlive = setInterval(() => {
      for (const socket of held) socket.write(messageBytes({ hello: 1, $db: 'admin' }));
    }, 50);
    try {
      await Promise.all(held.map((socket) => ask(socket, { hello: 1 })));
      await once(open(), 'close');
      held.pop()?.destroy();
      for (let isAccepted = false; !isAccepted;) {
        const next = open();
        isAccepted = await Promise.race([
          ask(next, { hello: 1 }).then(() => true),
          once(next, 'close').then(() => false),
        ]);
      }
    } finally {
      clearInterval(keepAlive);
    }
  });

  it('lifts the limits for a client with the password', async () => {
    const { user, password } = CREDENTIALS;
    const uri = `mongodb://${user}:${encodeURIComponent(password)}@127.0.0.1:${proxy.port}/?authSource=admin`;
    const client = new mongo.MongoClient(uri, {
      directConnection: true,
      authMechanism: 'SCRAM-SHA-256',
      heartbeatFrequencyMS: 500,
      maxPoolSize: 1,
    });
    try {
      const long = 'x'.repeat(LIMITS.maxMessageBytes);
      const send = () => client.db('any').command({ ping: 1, comment: long });
      await expect(send()).rejects.toMatchObject({ code: 6 });
    } finally {
      await client.close();
    }
  });
});
