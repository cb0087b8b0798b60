import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { countedAddressOf } from './counted-address';

export interface OpenConnectionsOptions {
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  /** How long a connection may be silent. */
  readonly maxSilentMs: number;
  /** Whether an address is that of a trusted proxy, whose connections come from many clients. */
  readonly isTrustedProxy: (address: string) => boolean;
}

interface Connection {
  readonly socket: Socket;
  /** Undefined for a trusted proxy. */
  readonly group: AddressGroup | undefined;
  silentSince: number;
}

/** The open connections of one address. */
interface AddressGroup {
  readonly address: string;
  count: number;
  readonly silent: Set<Connection>;
}

/**
 * Limits the open connections, of all clients and of each address. A connection is silent while it has no request whose headers
 * are complete and whose response is pending. When a limit is reached, the connection that has been silent for the longest
 * time is closed in favour of the new one; without a silent one, the new one is closed.
 */
export class OpenConnections {
  private readonly connections = new Map<Socket, Connection>();
  /** In the order in which they fell silent, also in the groups. */
  private readonly silent = new Set<Connection>();
  private readonly groups = new Map<string, AddressGroup>();

  constructor(private readonly options: OpenConnectionsOptions) {}

  add(socket: Socket): void {
    const { maxConnections, maxConnectionsPerAddress } = this.options;
    const group = this.groupOf(socket);
    const isAdmitted =
      (!group || group.count < maxConnectionsPerAddress || this.closeOldest(group.silent)) &&
      (this.connections.size < maxConnections || this.closeOldest(this.silent));
    if (!isAdmitted) {
      socket.destroy();
      return;
    }
    const connection = { socket, group, silentSince: 0 };
    this.connections.set(socket, connection);
    if (group) {
      group.count += 1;
      this.groups.set(group.address, group);
    }
    this.markSilent(connection);
    socket.once('close', () => {
      this.remove(connection);
    });
  }

  /** Counts the connection as silent again when the response is closed. */
  addRequest(socket: Socket, response: ServerResponse): void {
    const connection = this.connections.get(socket);
    if (!connection) return;
    this.silent.delete(connection);
    connection.group?.silent.delete(connection);
    response.once('close', () => {
      if (this.connections.has(socket)) this.markSilent(connection);
    });
  }

  /** Closes the connections that have been silent for too long. */
  closeExpired(): void {
    const before = performance.now() - this.options.maxSilentMs;
    for (const connection of this.silent) {
      if (connection.silentSince > before) return;
      this.close(connection);
    }
  }

  closeSilent(): void {
    for (const connection of this.silent) this.close(connection);
  }

  private groupOf({ remoteAddress = '' }: Socket): AddressGroup | undefined {
    if (this.options.isTrustedProxy(remoteAddress)) return undefined;
    const address = countedAddressOf(remoteAddress);
    return this.groups.get(address) ?? { address, count: 0, silent: new Set() };
  }

  private markSilent(connection: Connection): void {
    connection.silentSince = performance.now();
    this.silent.add(connection);
    connection.group?.silent.add(connection);
  }

  private closeOldest(silent: ReadonlySet<Connection>): boolean {
    const [oldest] = silent;
    if (!oldest) return false;
    this.close(oldest);
    return true;
  }

  private close(connection: Connection): void {
    this.remove(connection);
    connection.socket.destroy();
  }

  private remove(connection: Connection): void {
    const { socket, group } = connection;
    if (!this.connections.delete(socket)) return;
    this.silent.delete(connection);
    if (!group) return;
    group.silent.delete(connection);
    group.count -= 1;
    if (group.count === 0) this.groups.delete(group.address);
  }
}
