import type { Redis, RedisOptions } from 'ioredis';
import { SECOND_MS } from '../../common/durations';
import { tryWithTimeout } from '../../common/try-with-timeout';

const CHECK_INTERVAL_MS = 2 * SECOND_MS;
const MAX_SILENCE_MS = 2 * SECOND_MS;
/** A ping waits behind the blocking command of Bull, which takes five seconds. */
const MAX_BLOCKING_SILENCE_MS = 8 * SECOND_MS;

/** The server does not have the keys any more: another one has. */
const HAS_MOVED = /^(?:MOVED|READONLY|CLUSTERDOWN|MASTERDOWN|UNBLOCKED)\b/;

/**
 * Has a connection follow its data to the server that takes over: it reconnects when the server says so, or does not answer. A command
 * that meets the change fails, as in an outage.
 * @param create opens it with this option.
 * @param isBlocking whether it is for blocking commands.
 */
export function followData<Connection extends Redis>(
  create: (options: Required<Pick<RedisOptions, 'reconnectOnError'>>) => Connection,
  isBlocking = false,
): Connection {
  const connection: Connection = create({
    reconnectOnError: ({ message }) => {
      if (HAS_MOVED.test(message)) reconnect(connection);
      return false;
    },
  });
  reconnectWhenSilent(connection, isBlocking ? MAX_BLOCKING_SILENCE_MS : MAX_SILENCE_MS);
  return connection;
}

/** Closes the connection to the server that it has, once, and connects again. Does nothing while it has none. */
export function reconnect(connection: Redis): void {
  // While it is connecting, a disconnect would end it.
  if (hasServer(connection) && connection.stream.writable) connection.disconnect(true);
}

/** A machine that is frozen or cut off closes no connection. */
function reconnectWhenSilent(connection: Redis, maxSilenceMs: number): void {
  let isChecking = false;
  const check = async (): Promise<void> => {
    if (isChecking || !hasServer(connection)) return;
    isChecking = true;
    const { stream } = connection;
    const answer = await tryWithTimeout(connection.ping(), maxSilenceMs);
    isChecking = false;
    if (answer === undefined && connection.stream === stream) reconnect(connection);
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
