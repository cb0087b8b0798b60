import { Client } from 'undici';
import { InterimResponseFilter } from '../patches/undici-interim-responses';
import { GuardedConnector } from './guarded-connector';

/**
 * Shorter than the keep-alive timeout of common servers, so that no request uses a connection the server is closing.
 */
const IDLE_TIMEOUT_MS = 2_000;

/** The name's address is checked only on connect and may change, so connections are reused for a limited time. */
const MAX_CONNECTION_AGE_MS = 10_000;

const MAX_IDLE_PER_ORIGIN = 64;

export interface Connection {
  readonly origin: string;
  readonly client: Client;
  readonly abortController: AbortController;
  readonly interimResponses: InterimResponseFilter;
  readonly openedAtMs: number;
  idleTimer?: NodeJS.Timeout;
}

/**
 * Pools connections by origin. With undici's own pools, aborting a request neither ends a pending connection attempt
 * nor prevents a reconnect.
 */
export class ConnectionPool {
  private readonly connections = new Set<Connection>();
  private readonly idle = new Map<string, Connection[]>();
  private isClosed = false;

  constructor(private readonly connector: GuardedConnector) {}

  /**
   * Returns a connection for exclusive use; the caller must release or destroy it.
   * @param origin scheme, host and port.
   */
  acquire(origin: string): Connection {
    const idle = this.idle.get(origin)?.at(-1);
    if (idle) {
      this.removeFromIdle(idle);
      idle.interimResponses.expectResponse();
      return idle;
    }
    const abortController = new AbortController();
    const interimResponses = new InterimResponseFilter();
    const client = new Client(origin, {
      connect: this.connector.connectorFor(abortController.signal, (socket) => {
        interimResponses.attach(socket);
      }),
      keepAliveTimeout: IDLE_TIMEOUT_MS,
      // Ignores a longer timeout in the server's Keep-Alive header.
      keepAliveMaxTimeout: IDLE_TIMEOUT_MS,
      headersTimeout: 0, // the caller has a timeout for the whole request
      bodyTimeout: 0,
    });
    const openedAtMs = performance.now();
    const connection = { origin, client, abortController, interimResponses, openedAtMs };
    this.connections.add(connection);
    if (this.isClosed) this.destroy(connection);
    return connection;
  }

  release(connection: Connection): void {
    const { origin } = connection;
    const idle = this.idle.get(origin) ?? [];
    const leftMs = connection.openedAtMs + MAX_CONNECTION_AGE_MS - performance.now();
    if (!this.connections.has(connection) || leftMs <= 0 || idle.length >= MAX_IDLE_PER_ORIGIN) {
      this.destroy(connection);
      return;
    }
    idle.push(connection);
    this.idle.set(origin, idle);
    connection.idleTimer = setTimeout(
      () => {
        this.destroy(connection);
      },
      Math.min(leftMs, IDLE_TIMEOUT_MS),
    );
  }

  /** Closes a connection and aborts its request. */
  destroy(connection: Connection): void {
    if (!this.connections.delete(connection)) return;
    this.removeFromIdle(connection);
    connection.client.destroy().catch(() => undefined);
    connection.abortController.abort();
  }

  /** Closes all connections. Requests on connections acquired later fail. */
  close(): void {
    this.isClosed = true;
    for (const connection of this.connections) this.destroy(connection);
  }

  private removeFromIdle(connection: Connection): void {
    clearTimeout(connection.idleTimer);
    const idle = this.idle.get(connection.origin)?.filter((other) => other !== connection) ?? [];
    if (idle.length > 0) this.idle.set(connection.origin, idle);
    else this.idle.delete(connection.origin);
  }
}
