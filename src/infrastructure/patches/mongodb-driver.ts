import { createRequire } from 'node:module';
import type { Socket } from 'node:net';

/** The internals of the driver's `Connection` that the patch uses. */
export interface DriverConnection {
  readonly socket: Socket;
  readonly closed: boolean;
  cleanup(error: Error): void;
}

interface DriverConnectionModule {
  readonly Connection: { readonly prototype: DriverConnection };
}

// Resolved from Mongoose: another copy of the driver may be installed beside its own.
const { Connection } = createRequire(require.resolve('mongoose'))(
  'mongodb/lib/cmap/connection',
) as DriverConnectionModule;

let isPatched = false;

/**
 * Patches the MongoDB driver (7.5 to 7.8; no upstream report known). `Connection.writeCommand` waits for `drain`
 * when a write is not flushed, but a socket that has ended never emits it: a command that is written before the
 * socket's `close` event hangs. If it is the driver's heartbeat, the process never notices that the database is back.
 * Slightly earlier, the command fails with a plain Node error instead of a `MongoNetworkError`.
 *
 * Emitting `drain` when the connection is cleaned up resumes the writer, which then fails with the connection's error.
 */
export function patchMongodbDriver(): void {
  if (isPatched) return;
  isPatched = true;
  const cleanup = Reflect.get(Connection.prototype, 'cleanup');
  Connection.prototype.cleanup = function (this: DriverConnection, error: Error): void {
    const wasClosed = this.closed;
    cleanup.call(this, error);
    if (!wasClosed) this.socket.emit('drain');
  };
}
