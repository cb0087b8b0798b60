import { Injectable } from '@nestjs/common';
import { RedisConfig } from '../../config/sections/redis.config';
import { RedisPublisher } from '../../infrastructure/redis/redis-publisher';
import type { PushCommand, PushResult, PushTarget, PushTransport } from '../transport/push-transport';
import { wakeChannel, WakeHub, type WakeSignal } from './wake-hub';

/** Wakes phones that fetch their messages. A signal carries no message, and one that is lost delays them. */
@Injectable()
export class WakeTransport implements PushTransport {
  constructor(
    private readonly publisher: RedisPublisher,
    private readonly config: RedisConfig,
    private readonly hub: WakeHub,
  ) {}

  async push(target: PushTarget, commands: readonly PushCommand[]): Promise<PushResult[]> {
    await Promise.all(commands.map((command) => this.send(target, signalOf(command))));
    return commands.map(() => ({ outcome: 'accepted' }));
  }

  /** Also without Redis, if this process holds the stream. */
  private async send({ deviceId }: PushTarget, signal: WakeSignal): Promise<void> {
    const channel = wakeChannel(this.config, deviceId);
    if (!(await this.publisher.publishPatiently(channel, JSON.stringify(signal))))
      this.hub.signal(deviceId, signal);
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
