import { tryWithTimeout } from '../../common/try-with-timeout';
import { ResilientRedis } from './ioredis-unhandled-rejections';

/**
 * Patches Bull (4.16):
 * - `Queue.close` reconnects the blocking connection, even if it was closed before, and leaves it open. This connection can be
 *   closed permanently, without Redis. The report is closed, the fault is not fixed: https://github.com/OptimalBits/bull/issues/1414.
 * - `Queue.pause` asks the blocking connection to quit, which Redis does only after the wait for a job, and gives up after half a
 *   second. This connection quits immediately.
 */
export class BullConnection extends ResilientRedis {
  /** Set by Bull while the connection waits for a job. */
  blocked?: boolean;
  private isClosed = false;

  override async quit(...args: Parameters<ResilientRedis['quit']>): Promise<'OK'> {
    if (!this.blocked) return super.quit(...args);
    this.disconnect();
    return 'OK';
  }

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
    // A connection whose CLIENT SETNAME was not answered can have the status `ready` although it has ended:
    // https://github.com/redis/ioredis/issues/2099
    if (!isBetweenAttempts) await tryWithTimeout(ended);
  }
}
