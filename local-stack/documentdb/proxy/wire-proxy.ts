import { createServer, type Server, type Socket } from 'node:net';

import { Authentication, type Credentials, ScramSecret } from './authentication';
import { commandOf } from './command';
import { Dispatcher } from './dispatcher';
import { asCommandError, errorReply } from './errors';
import { MessageSplitter } from './message-splitter';
import { Postgres, type PostgresAddress } from './sql';
import { type Reply, readRequest, replyBytes, type WireRequest } from './wire-message';

export interface WireProxy {
  readonly port: number;
  close(): Promise<void>;
}

/** Only a guard: drivers wait for the reply before the next request. */
const MAX_WAITING = 16;

/** Limits for unauthenticated connections. */
export interface PeerLimits {
  readonly maxMessageBytes: number;
  /** The monitoring connection of a driver never authenticates, and is used every 10 s. */
  readonly idleMs: number;
  readonly maxConnections: number;
}

const PEER_LIMITS: PeerLimits = { maxMessageBytes: 16 * 1024, idleMs: 120_000, maxConnections: 1_000 };

interface Connection {
  readonly number: number;
  readonly socket: Socket;
  readonly authentication: Authentication;
}

async function respond(
  dispatcher: Dispatcher,
  request: WireRequest,
  { number, authentication }: Connection,
): Promise<Reply> {
  try {
    const command = commandOf(request);
    return authentication.reply(command) ?? (await dispatcher.execute(command, number));
  } catch (error) {
    return errorReply(asCommandError(error));
  }
}

/** Executes the requests of a socket in order, as MongoDB does. */
function serve(connection: Connection, dispatcher: Dispatcher, limits: PeerLimits): void {
  const { socket, authentication } = connection;
  const splitter = new MessageSplitter();
  let turn = Promise.resolve();
  let waiting = 0;

  const handle = async (message: Buffer): Promise<void> => {
    const request = readRequest(message);
    const reply = await respond(dispatcher, request, connection);
    waiting -= 1;
    if (waiting < MAX_WAITING) socket.resume();
    if (request.wantsReply && !socket.destroyed) socket.write(replyBytes(request, reply));
  };

  socket.setNoDelay(true);
  socket.setTimeout(limits.idleMs, () => {
    if (!authentication.isAuthenticated) socket.destroy();
  });
  socket.on('error', () => undefined); // 'close' follows
  socket.on('close', () => void dispatcher.connectionClosed(connection.number));
  socket.on('data', (chunk) => {
    try {
      const maxMessageBytes = authentication.isAuthenticated ? undefined : limits.maxMessageBytes;
      for (const message of splitter.push(chunk, maxMessageBytes)) {
        waiting += 1;
        turn = turn.then(() => handle(message)).catch(() => void socket.destroy());
      }
    } catch {
      socket.destroy(); // not the wire protocol, or too long
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
 * Serves MongoDB's wire protocol on a loopback port, backed by PostgreSQL with the DocumentDB extension. Each
 * command is one SQL call with the command's own BSON.
 */
export async function startWireProxy(
  port: number,
  postgres: PostgresAddress,
  credentials: Credentials,
  limits = PEER_LIMITS,
): Promise<WireProxy> {
  const dispatcher = new Dispatcher(new Postgres(postgres));
  const secret = new ScramSecret(credentials);
  const connections = new Set<Connection>();
  let lastNumber = 0;
  const server = createServer((socket) => {
    const unauthenticated = [...connections].filter((open) => !open.authentication.isAuthenticated);
    if (unauthenticated.length >= limits.maxConnections) {
      socket.destroy();
      return;
    }
    lastNumber += 1;
    const connection = { number: lastNumber, socket, authentication: new Authentication(secret) };
    connections.add(connection);
    socket.on('close', () => connections.delete(connection));
    serve(connection, dispatcher, limits);
  });
  await listen(server, port);
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: async () => {
      server.close();
      for (const { socket } of connections) socket.destroy();
      await dispatcher.close();
    },
  };
}
