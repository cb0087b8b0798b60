import { createRequire } from 'node:module';
import type { Socket } from 'node:net';

/** What is touched of the driver's `Connection`, which its public interface does not show. */
export interface DriverConnection {
  readonly socket: Socket;
  readonly closed: boolean;
  cleanup(error: Error): void;
}

interface DriverConnectionModule {
  readonly Connection: { readonly prototype: DriverConnection };
}

// The driver that Mongoose uses, not another copy that may be installed beside it.
const { Connection } = createRequire(require.resolve('mongoose'))(
  'mongodb/lib/cmap/connection',
) as DriverConnectionModule;

let repaired = false;

/**
 * Mends a fault of the MongoDB driver (seen in 7.5 and 7.8): a command written in the moment between the end of its
 * socket and the socket's `close` event waits for a `drain` that never comes. It hangs for ever, and where it was the
 * driver's own look at the server, the process takes a database that is long back for gone until it is restarted. A
 * little earlier in that moment the write fails with a bare Node error instead of a `MongoNetworkError`.
 *
 * Waking the writer when the connection is given up cures both: it then meets the error the connection ended with.
 */
export function repairDriver(): void {
  if (repaired) return;
  repaired = true;
  const giveUp = Reflect.get(Connection.prototype, 'cleanup');
  Connection.prototype.cleanup = function (this: DriverConnection, error: Error): void {
    const wasClosed = this.closed;
    giveUp.call(this, error);
    if (!wasClosed) this.socket.emit('drain');
  };
}
