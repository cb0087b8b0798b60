import Redis, { type Command } from 'ioredis';

/**
 * Patches ioredis (5.11): after a reconnect it sends SUBSCRIBE and SELECT without a rejection handler, so a connection
 * that drops again ends the process. Fixed by https://github.com/redis/ioredis/pull/2187; remove this class with the
 * release that has it.
 */
export class ResilientRedis extends Redis {
  override sendCommand(command: Command, ...rest: [Parameters<Redis['sendCommand']>[1]?]): unknown {
    command.promise.catch(() => undefined);
    return super.sendCommand(command, ...rest);
  }
}
