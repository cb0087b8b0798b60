import { Injectable } from '@nestjs/common';
import { FcmTransport } from './fcm/fcm-transport';
import { PushMetrics } from './push.metrics';
import type { PushCommand, PushResult, PushTarget, PushTransport } from './push-transport';
import { StreamTransport } from './stream/stream-transport';

/** A target and the name of the transport it is reached by. */
export interface RoutedTarget extends PushTarget {
  readonly transport: 'fcm' | 'stream';
}

@Injectable()
export class PushService {
  private readonly transports: Record<RoutedTarget['transport'], PushTransport>;

  constructor(
    private readonly fcm: FcmTransport,
    stream: StreamTransport,
    private readonly metrics: PushMetrics,
  ) {
    this.transports = { fcm, stream };
  }

  /** Whether the server is set up to push to this target, whatever the phone has told of itself. */
  isConfigured({ transport }: RoutedTarget): boolean {
    return transport !== 'fcm' || this.fcm.isConfigured;
  }

  canReach(target: RoutedTarget): boolean {
    return this.transports[target.transport].canReach(target);
  }

  /** Whether the device's push service carries a command of this size. */
  fits(target: RoutedTarget, command: PushCommand): boolean {
    return this.transports[target.transport].fits(command);
  }

  /** Hands commands to the device's push service; never throws, what went wrong is in the results. */
  async push(target: RoutedTarget, commands: readonly PushCommand[]): Promise<PushResult[]> {
    const transport = this.transports[target.transport];
    const results = transport.canReach(target)
      ? await transport.push(target, commands)
      : commands.map((): PushResult => ({ outcome: 'unavailable' }));
    this.metrics.count(target.transport, commands, results);
    return results;
  }
}
