import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** What is said about a name: its addresses, that there is none such, that it cannot be told, or nothing. */
type Told = readonly string[] | 'no such name' | 'server failure' | 'silence';

/** What is told of each family, where it is not the same. */
type Entry = Told | { readonly 4: Told; readonly 6: Told };

const CODES: Readonly<Record<string, number>> = { 'no such name': 3, 'server failure': 2 };

/** A DNS server of the test's own. It knows no names but those it was given. */
export class NameServer {
  /** The queried names, once per query. */
  readonly queries: string[] = [];

  private constructor(
    private readonly socket: Socket,
    private readonly entries: Readonly<Record<string, Entry>>,
  ) {
    socket.on('message', (question, asker) => {
      this.answer(question, asker);
    });
  }

  static async start(entries: Readonly<Record<string, Entry>> = {}): Promise<NameServer> {
    const socket = createSocket('udp4');
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    return new NameServer(socket, entries);
  }

  /** With its port. */
  get address(): string {
    return `127.0.0.1:${this.socket.address().port}`;
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.socket.close(resolve));
  }

  private answer(question: Buffer, { port, address }: RemoteInfo): void {
    // Behind 12 bytes of header: the labels of the name, each behind its length, then the kind of record.
    const labels: string[] = [];
    let end = 12;
    for (let length = question.readUInt8(end); length > 0; length = question.readUInt8(end)) {
      labels.push(question.toString('latin1', end + 1, end + 1 + length));
      end += 1 + length;
    }
    const family = question.readUInt16BE(end + 1) === 1 ? 4 : 6;
    const name = labels.join('.');
    this.queries.push(name);
    const entry = this.entries[name] ?? 'no such name';
    const told = typeof entry === 'object' && 4 in entry && 6 in entry ? entry[family] : entry;
    if (told === 'silence') return;
    const code = typeof told === 'string' ? (CODES[told] ?? 0) : 0;
    const addresses = typeof told === 'string' ? [] : told.filter((each) => isIPv4(each) === (family === 4));
    const header = Buffer.alloc(12);
    question.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180 | code, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(addresses.length, 6);
    const asItCame = question.subarray(12, end + 5);
    this.socket.send(Buffer.concat([header, asItCame, ...addresses.map(recordOf)]), port, address);
  }
}

/** An address of the name that the question holds, for a minute. */
function recordOf(address: string): Buffer {
  const bytes = Buffer.from(ipaddr.parse(address).toByteArray());
  const head = Buffer.from([0xc0, 12, 0, bytes.length === 4 ? 1 : 28, 0, 1, 0, 0, 0, 60, 0, bytes.length]);
  return Buffer.concat([head, bytes]);
}
