import { Injectable } from '@nestjs/common';
import { FcmTransport } from './fcm/fcm-transport';
import { PushMetrics } from './push.metrics';
import type { PushCommand, PushResult, PushTarget, PushTransport } from './push-transport';
import { StreamTransport } from './stream/stream-transport';

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

  get isFcmConfigured(): boolean {
    return this.fcm.isConfigured;
  }

  fits(target: RoutedTarget, command: PushCommand): boolean {
    return this.transports[target.transport].fits(command);
  }

  /** Pushes commands to a device. Never throws: failures are in the results. */
  async push(target: RoutedTarget, commands: readonly PushCommand[]): Promise<PushResult[]> {
    const results = await this.transports[target.transport].push(target, commands);
    this.metrics.count(target.transport, commands, results);
    return results;
  }
}
