import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import { METRIC_PREFIX } from '../infrastructure/metrics/metrics.module';
import { FcmTransport } from './fcm/fcm-transport';
import type { PushCommand, PushResult, PushTarget, PushTransport } from './push-transport';
import { StreamTransport } from './stream/stream-transport';

/** Pushes commands over the transport of each phone, and counts the results. */
@Injectable()
export class PushClient {
  private readonly transports: Record<PushTarget['transport'], PushTransport>;
  private readonly results: Counter<'transport' | 'command' | 'outcome' | 'code'>;

  constructor(
    private readonly fcm: FcmTransport,
    stream: StreamTransport,
    registry: Registry,
  ) {
    this.transports = { fcm, stream };
    this.results = new Counter({
      name: `${METRIC_PREFIX}push_results_total`,
      help: 'Push commands by outcome; code is the reason of a refusal',
      labelNames: ['transport', 'command', 'outcome', 'code'],
      registers: [registry],
    });
  }

  get isFcmConfigured(): boolean {
    return this.fcm.isConfigured;
  }

  fits(target: PushTarget, command: PushCommand): boolean {
    return this.transports[target.transport].fits(command);
  }

  /** Pushes commands to a device. Never throws: failures are in the results. */
  async push(target: PushTarget, commands: readonly PushCommand[]): Promise<PushResult[]> {
    const results = await this.transports[target.transport].push(target, commands);
    for (const [index, { kind }] of commands.entries()) {
      const result = results[index] ?? { outcome: 'doubt' };
      const code = result.outcome === 'refused' ? result.code : '';
      this.results.inc({ transport: target.transport, command: kind, outcome: result.outcome, code });
    }
    return results;
  }
}
