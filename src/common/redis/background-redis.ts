import Redis, { type Command } from 'ioredis';

/**
 * A connection that commands go over whose end nobody waits for: ioredis itself subscribes again when it is back, and
 * leaves the answer to nobody. That such a command fails, because the connection is ended under it, must not end the
 * process.
 */
export class BackgroundRedis extends Redis {
  override sendCommand(command: Command, ...rest: [Parameters<Redis['sendCommand']>[1]?]): unknown {
    command.promise.catch(() => undefined);
    return super.sendCommand(command, ...rest);
  }
}
