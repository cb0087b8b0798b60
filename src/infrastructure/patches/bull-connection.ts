import { tryWithTimeout } from '../../common/try-with-timeout';
import { ResilientRedis } from './ioredis-unhandled-rejections';

/**
 * Patches Bull (4.16): `Queue.close` waits for Redis, and while it closes Bull reconnects its connections and leaves them
 * open. This connection can be closed permanently, without Redis.
 * See https://github.com/OptimalBits/bull/issues/1414.
 */
export class BullConnection extends ResilientRedis {
  private isClosed = false;

  override connect(callback?: (failure?: Error | null) => void): Promise<void> {
    return this.isClosed ? Promise.reject(new Error('Connection is closed.')) : super.connect(callback);
  }

  /** Resolves when the connection has ended, or after a second. */
  async closePermanently(): Promise<void> {
    this.isClosed = true;
    if (this.status === 'end') return;
    const isBetweenAttempts = this.status === 'reconnecting';
    const ended = new Promise((resolve) => this.once('end', resolve));
    this.disconnect();
    // A connection whose CLIENT SETNAME was not answered can have the status `ready` although it has ended.
    if (!isBetweenAttempts) await tryWithTimeout(ended);
  }
}
