import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import { METRIC_PREFIX } from '../infrastructure/metrics/metrics.module';
import { FcmTransport } from './fcm/fcm-transport';
import type {
  OfferResult,
  PushCommand,
  PushResult,
  PushTarget,
  PushTransport,
  MessageOffer,
} from './transport/push-transport';
import { StreamTransport } from './stream/stream-transport';
import { WakeTransport } from './wake/wake-transport';

/** Pushes commands over the transport of each phone, and counts the results. */
@Injectable()
export class PushClient {
  private readonly transports: Record<PushTarget['transport'], PushTransport>;
  private readonly results: Counter<'transport' | 'command' | 'outcome' | 'code'>;

  constructor(
    private readonly fcm: FcmTransport,
    stream: StreamTransport,
    wake: WakeTransport,
    registry: Registry,
  ) {
    this.transports = { fcm, stream, wake };
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
    return this.transports[target.transport].fits?.(command) ?? true;
  }

  /** Whether messages are offered to the stream of the phone, instead of pushed. */
  usesOffers({ transport }: PushTarget): boolean {
    return this.transports[transport].offer !== undefined;
  }

  /** Offers messages to the stream of a phone, see `PushTransport`. Never throws. */
  async offer(target: PushTarget, offer: MessageOffer): Promise<OfferResult> {
    return (await this.transports[target.transport].offer?.(target, offer)) ?? 'lost';
  }

  /** Counts messages that a phone has taken. */
  countTaken({ transport }: PushTarget, count: number): void {
    this.results.inc({ transport, command: 'sms', outcome: 'accepted', code: '' }, count);
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
