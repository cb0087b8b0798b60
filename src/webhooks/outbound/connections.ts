import { Client } from 'undici';
import { GuardedConnector } from './guarded-connector';

/** Shorter than servers commonly keep an idle connection, so that no request goes out on one that is being closed. */
const IDLE_LIMIT_MS = 2_000;

/** How long requests go out on a connection. Its address was judged when it was opened, and its name may have moved. */
const USE_LIMIT_MS = 10_000;

/** Connections to one origin that wait for the next request. */
const MOST_IDLE_PER_ORIGIN = 64;

/** A connection to one origin, opened by its first request and for one request at a time. */
interface Connection {
  readonly origin: string;
  readonly client: Client;
  readonly ending: AbortController;
  /** On the clock of `performance.now()`. */
  readonly openedAt: number;
  idleTimer?: NodeJS.Timeout;
}

/**
 * The connections of one client. undici's own pools will not do: whoever gives up a request there can neither end the
 * connection being opened for it nor keep undici from opening another.
 */
export class Connections {
  private readonly all = new Set<Connection>();
  private readonly idle = new Map<string, Connection[]>();
  private isClosed = false;

  constructor(private readonly connector: GuardedConnector) {}

  /**
   * Gives a connection that no one else uses. It must be given back, or dropped.
   * @param origin scheme, host and port.
   */
  take(origin: string): Connection {
    const waiting = this.idle.get(origin)?.at(-1);
    if (waiting) {
      this.rouse(waiting);
      return waiting;
    }
    const ending = new AbortController();
    const client = new Client(origin, {
      connect: this.connector.within(ending.signal),
      keepAliveTimeout: IDLE_LIMIT_MS,
      // What a server offers in its Keep-Alive header does not prolong it.
      keepAliveMaxTimeout: IDLE_LIMIT_MS,
      // Whoever takes the connection has a deadline.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const connection = { origin, client, ending, openedAt: performance.now() };
    this.all.add(connection);
    if (this.isClosed) this.drop(connection);
    return connection;
  }

  /** Keeps a connection for the next request, a short while. */
  giveBack(connection: Connection): void {
    const { origin } = connection;
    const waiting = this.idle.get(origin) ?? [];
    const leftMs = connection.openedAt + USE_LIMIT_MS - performance.now();
    if (!this.all.has(connection) || leftMs <= 0 || waiting.length >= MOST_IDLE_PER_ORIGIN) {
      this.drop(connection);
      return;
    }
    waiting.push(connection);
    this.idle.set(origin, waiting);
    connection.idleTimer = setTimeout(
      () => {
        this.drop(connection);
      },
      Math.min(leftMs, IDLE_LIMIT_MS),
    );
  }

  /** Ends a connection, and with it the request that is under way on it. */
  drop(connection: Connection): void {
    if (!this.all.delete(connection)) return;
    this.rouse(connection);
    connection.client.destroy().catch(() => undefined);
    connection.ending.abort();
  }

  /** Ends all of them; those taken afterwards carry no request. */
  close(): void {
    this.isClosed = true;
    for (const connection of this.all) this.drop(connection);
  }

  private rouse(connection: Connection): void {
    clearTimeout(connection.idleTimer);
    const waiting = this.idle.get(connection.origin)?.filter((other) => other !== connection) ?? [];
    if (waiting.length > 0) this.idle.set(connection.origin, waiting);
    else this.idle.delete(connection.origin);
  }
}
