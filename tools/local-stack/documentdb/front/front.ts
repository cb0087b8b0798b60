import { createServer, type Server, type Socket } from 'node:net';

import { commandOf } from './command';
import { Dispatcher } from './dispatcher';
import { asCommandError, errorReply } from './errors';
import { MessageSplitter } from './message-splitter';
import { Postgres } from './sql';
import { type Reply, readRequest, replyBytes, type WireRequest } from './wire-message';

/** A running MongoDB wire-protocol front. */
export interface Front {
  readonly port: number;
  close(): Promise<void>;
}

/** Requests of one socket that may wait; a driver sends the next one after the reply, so this is only a guard. */
const MAX_WAITING = 16;

async function answer(dispatcher: Dispatcher, request: WireRequest, connection: number): Promise<Reply> {
  try {
    return await dispatcher.carryOut(commandOf(request), connection);
  } catch (error) {
    return errorReply(asCommandError(error));
  }
}

/** Serves one client's socket: requests are carried out one after another, as MongoDB does. */
function serve(socket: Socket, dispatcher: Dispatcher, connection: number): void {
  const splitter = new MessageSplitter();
  let turn = Promise.resolve();
  let waiting = 0;

  const handle = async (message: Buffer): Promise<void> => {
    const request = readRequest(message);
    const reply = await answer(dispatcher, request, connection);
    waiting -= 1;
    if (waiting < MAX_WAITING) socket.resume();
    if (request.wantsReply && !socket.destroyed) socket.write(replyBytes(request, reply));
  };

  socket.setNoDelay(true);
  socket.on('error', () => undefined); // 'close' follows
  socket.on('close', () => void dispatcher.forget(connection));
  socket.on('data', (chunk) => {
    try {
      for (const message of splitter.push(chunk)) {
        waiting += 1;
        turn = turn.then(() => handle(message)).catch(() => void socket.destroy());
      }
    } catch {
      socket.destroy(); // bytes that are no wire protocol
    }
    if (waiting >= MAX_WAITING) socket.pause();
  });
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
}

/**
 * Speaks MongoDB's wire protocol on a loopback port, for a PostgreSQL with the DocumentDB extension.
 * Each command becomes one SQL call whose argument and result are the command's own BSON.
 */
export async function startFront(port: number, postgresPort: number): Promise<Front> {
  const dispatcher = new Dispatcher(new Postgres(postgresPort));
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    serve(socket, dispatcher, connections);
  });
  await listen(server, port);
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await dispatcher.close();
    },
  };
}
