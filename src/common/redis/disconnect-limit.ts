/** How long a connection that is being closed may wait for Redis to close it too, in ms; ioredis waits two seconds. */
export const DISCONNECT_LIMIT_MS = 100;
