import type { Redis } from 'ioredis';
import { SECOND_MS } from '../../common/durations';
import { tryWithTimeout } from '../../common/try-with-timeout';

const CHECK_INTERVAL_MS = 2 * SECOND_MS;

/** Longer than the blocking command of Bull, behind which a ping waits. */
const MAX_SILENCE_MS = 8 * SECOND_MS;

/**
 * Reconnects a connection whose server does not answer. A machine that is frozen or cut off closes no connection, and another one has
 * its work by then: a reconnect finds it.
 */
export function reconnectWhenSilent(connection: Redis): void {
  let isChecking = false;
  const check = async (): Promise<void> => {
    // While it is connecting it has no server to ask, and a disconnect would end it.
    if (isChecking || !hasServer(connection)) return;
    isChecking = true;
    const { stream } = connection;
    const answer = await tryWithTimeout(connection.ping(), MAX_SILENCE_MS);
    isChecking = false;
    if (answer === undefined && connection.stream === stream && hasServer(connection))
      connection.disconnect(true);
  };
  let timer: NodeJS.Timeout | undefined;
  connection.on('connect', () => {
    timer ??= setInterval(() => void check(), CHECK_INTERVAL_MS).unref();
  });
  connection.on('end', () => {
    clearInterval(timer);
    timer = undefined;
  });
}

const hasServer = ({ status }: Redis): boolean => status === 'connect' || status === 'ready';
