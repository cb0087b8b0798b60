import { Inject, Injectable } from '@nestjs/common';
import type Redis from 'ioredis';
import { tryWithTimeout } from '../../common/try-with-timeout';
import { RedisConfig } from '../../config/sections/redis.config';
import { REDIS } from '../../infrastructure/redis/redis-connection';
import type { PushCommand, PushResult, PushTarget, PushTransport } from '../push-transport';
import { wakeChannel, WakeHub, type WakeSignal } from './wake-hub';

/** Wakes phones that fetch their messages. A signal carries no message, and one that is lost delays them. */
@Injectable()
export class WakeTransport implements PushTransport {
  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    private readonly config: RedisConfig,
    private readonly hub: WakeHub,
  ) {}

  fits(): boolean {
    return true;
  }

  async push(target: PushTarget, commands: readonly PushCommand[]): Promise<PushResult[]> {
    await Promise.all(commands.map((command) => this.send(target, signalOf(command))));
    return commands.map(() => ({ outcome: 'accepted' }));
  }

  /** Also without Redis, if this process holds the stream. */
  private async send({ deviceId }: PushTarget, signal: WakeSignal): Promise<void> {
    const published = await tryWithTimeout(
      this.redis.publish(wakeChannel(this.config, deviceId), JSON.stringify(signal)),
    );
    if (published === undefined) this.hub.signal(deviceId, signal);
  }
}

function signalOf(command: PushCommand): WakeSignal {
  switch (command.kind) {
    case 'cancel':
      return command;
    case 'sms':
    case 'fetch':
    case 'heartbeat_check':
      return { kind: 'fetch' };
  }
}
