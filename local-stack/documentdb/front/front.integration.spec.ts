import { deserialize, type Document } from 'bson';
import { mongo } from 'mongoose';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

import { type Front, startFront } from './front';
import { messageBytes, readRequest } from './wire-message';

const CREDENTIALS = { user: 'owner', password: 'correct horse' };
const LIMITS = { maxMessageBytes: 1024, idleMs: 300, maxConnections: 3 };
/** There is no PostgreSQL, so commands that reach it fail. */
const NOWHERE = { folder: '/nonexistent', port: 1 };

describe('the front, for peers without the password', () => {
  let front: Front;
  let sockets: Socket[];
  beforeEach(async () => {
    sockets = [];
    front = await startFront(0, NOWHERE, CREDENTIALS, LIMITS);
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await front.close();
  });

  const open = (): Socket => {
    const socket = connect(front.port, '127.0.0.1');
    socket.on('error', () => undefined);
    sockets.push(socket);
    return socket;
  };
  const ask = async (socket: Socket, command: Document): Promise<Document> => {
    socket.write(messageBytes({ $db: 'admin', ...command }));
    const [reply] = (await once(socket, 'data')) as [Buffer];
    return deserialize(readRequest(reply).body);
  };

  it('answers hello, and refuses a command and a transaction', async () => {
    const socket = open();
    await expect(ask(socket, { hello: 1 })).resolves.toMatchObject({ ok: 1 });
    await expect(ask(socket, { find: 'accounts' })).resolves.toMatchObject({ ok: 0, code: 13 });
    const transaction = { autocommit: false, startTransaction: true, lsid: { id: 1 } };
    await expect(ask(socket, { ping: 1, ...transaction })).resolves.toMatchObject({ ok: 0, code: 13 });
  });

  it('closes the connection when a message announces more than the limit', async () => {
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
      await Promise.all(held.map((socket) => once(socket, 'data')));
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
    const uri = `mongodb://${user}:${encodeURIComponent(password)}@127.0.0.1:${front.port}/?authSource=admin`;
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
