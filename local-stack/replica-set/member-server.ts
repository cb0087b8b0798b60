import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { MessageSplitter } from '../documentdb/proxy/message-splitter';
import { readRequest, replyBytes } from '../documentdb/proxy/wire-message';
import { MemberConnection } from './member-connection';
import { type SetState } from './set-state';
import { type Address, Upstream } from './upstream';

/** One member of the set: a server on a loopback port. */
export class MemberServer {
  private server: Server | undefined;
  private readonly sockets = new Set<Socket>();
  private port = 0;

  private constructor(
    private readonly state: SetState,
    private readonly upstream: Address,
  ) {}

  static async start(state: SetState, upstream: Address): Promise<MemberServer> {
    const member = new MemberServer(state, upstream);
    await member.listen();
    state.hosts.push(member.host);
    return member;
  }

  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Listens, again on the same port. */
  async listen(): Promise<void> {
    const server = createServer((socket) => {
      this.serve(socket);
    });
    server.listen(this.port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (typeof address === 'object' && address !== null) this.port = address.port;
    this.server = server;
  }

  /** Cuts all connections, and refuses others. */
  async close(): Promise<void> {
    const { server } = this;
    if (!server) return;
    this.server = undefined;
    for (const socket of this.sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  }

  /** Executes the commands of a client in their order. */
  private serve(socket: Socket): void {
    this.sockets.add(socket);
    const splitter = new MessageSplitter();
    const connecting = Upstream.open(this.upstream).then(
      (upstream) => new MemberConnection(this.state, this.host, upstream),
    );
    // A client that has not sent a command yet waits for nothing else.
    connecting.catch(() => socket.destroy());
    let turn = Promise.resolve();
    const handle = async (message: Buffer): Promise<void> => {
      const request = readRequest(message);
      const reply = await (await connecting).execute(request);
      if (!reply) socket.destroy();
      else if (request.wantsReply && !socket.destroyed) socket.write(replyBytes(request, reply));
    };
    socket.setNoDelay(true);
    socket.on('error', () => undefined); // 'close' follows
    socket.on('close', () => {
      this.sockets.delete(socket);
      connecting.then(
        (connection) => { connection.close(); },
        () => undefined,
      );
    });
    socket.on('data', (chunk) => {
      for (const message of splitter.push(chunk))
        turn = turn.then(() => handle(message)).catch(() => void socket.destroy());
    });
  }
}
