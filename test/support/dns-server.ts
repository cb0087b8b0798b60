import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The addresses of a name, or an error. */
type DnsResult = readonly string[] | 'NXDOMAIN' | 'SERVFAIL' | 'no response';

/** The result of both address families, or of each. */
type Entry = DnsResult | { readonly 4: DnsResult; readonly 6: DnsResult };

const CODES: Readonly<Record<string, number>> = { NXDOMAIN: 3, SERVFAIL: 2 };

/** A DNS server with the given names. */
export class DnsServer {
  /** The queried names, in order. */
  readonly queries: string[] = [];

  private constructor(
    private readonly socket: Socket,
    private readonly entries: Readonly<Record<string, Entry>>,
  ) {
    socket.on('message', (question, client) => {
      this.answer(question, client);
    });
  }

  static async start(entries: Readonly<Record<string, Entry>> = {}): Promise<DnsServer> {
    const socket = createSocket('udp4');
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    return new DnsServer(socket, entries);
  }

  /** IP address and port. */
  get address(): string {
    return `127.0.0.1:${this.socket.address().port}`;
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.socket.close(resolve));
  }

  private answer(question: Buffer, { port, address }: RemoteInfo): void {
    // The question follows the header of 12 bytes: length-prefixed labels, then the record type.
    const labels: string[] = [];
    let end = 12;
    for (let length = question.readUInt8(end); length > 0; length = question.readUInt8(end)) {
      labels.push(question.toString('latin1', end + 1, end + 1 + length));
      end += 1 + length;
    }
    const family = question.readUInt16BE(end + 1) === 1 ? 4 : 6;
    const name = labels.join('.');
    this.queries.push(name);
    const entry = this.entries[name] ?? 'NXDOMAIN';
    const result = typeof entry === 'object' && 4 in entry && 6 in entry ? entry[family] : entry;
    if (result === 'no response') return;
    const code = typeof result === 'string' ? (CODES[result] ?? 0) : 0;
    const addresses =
      typeof result === 'string' ? [] : result.filter((each) => isIPv4(each) === (family === 4));
    const header = Buffer.alloc(12);
    question.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180 | code, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(addresses.length, 6);
    const questionSection = question.subarray(12, end + 5);
    this.socket.send(
      Buffer.concat([header, questionSection, ...addresses.map(addressRecord)]),
      port,
      address,
    );
  }
}

/** A resource record for the name in the question, with a TTL of a minute. */
function addressRecord(address: string): Buffer {
  const bytes = Buffer.from(ipaddr.parse(address).toByteArray());
  const head = Buffer.from([0xc0, 12, 0, bytes.length === 4 ? 1 : 28, 0, 1, 0, 0, 0, 60, 0, bytes.length]);
  return Buffer.concat([head, bytes]);
}
