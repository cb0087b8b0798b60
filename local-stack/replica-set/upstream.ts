import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { deserialize, type Document } from 'bson';
import { MessageSplitter } from '../documentdb/proxy/message-splitter';
import { readRequest, requestBytes } from '../documentdb/proxy/wire-message';

export interface Address {
  readonly host: string;
  readonly port: number;
}

type Sequences = ReadonlyMap<string, readonly Buffer[]>;

/** A connection to the database, for one connection of a client: it has the same login. */
export class Upstream {
  private readonly splitter = new MessageSplitter();
  private waiting: { resolve(reply: Buffer): void; reject(failure: Error): void } | undefined;

  private constructor(private readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.on('error', () => undefined); // 'close' follows
    socket.on('close', () => this.waiting?.reject(new Error('The database has closed the connection.')));
    socket.on('data', (chunk) => {
      for (const message of this.splitter.push(chunk)) this.waiting?.resolve(readRequest(message).body);
    });
  }

  static async open({ host, port }: Address): Promise<Upstream> {
    const socket = connect(port, host);
    await once(socket, 'connect');
    return new Upstream(socket);
  }

  /** Sends one command at a time. @returns its reply. @throws Error if the connection is lost. */
  async call(body: Buffer, sequences: Sequences): Promise<Buffer> {
    if (this.socket.destroyed) throw new Error('The database has closed the connection.');
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      this.socket.write(requestBytes(body, sequences));
    });
  }

  async callDecoded(body: Buffer, sequences: Sequences): Promise<Document> {
    return deserialize(await this.call(body, sequences), { promoteValues: false });
  }

  close(): void {
    this.socket.destroy();
  }
}
