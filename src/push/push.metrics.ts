import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import { METRIC_PREFIX } from '../infrastructure/metrics/metrics.module';
import type { PushCommand, PushResult } from './push-transport';

@Injectable()
export class PushMetrics {
  private readonly results: Counter<'transport' | 'command' | 'outcome' | 'code'>;

  constructor(registry: Registry) {
    this.results = new Counter({
      name: `${METRIC_PREFIX}push_results_total`,
      help: 'Push commands by outcome; code is the reason of a refusal',
      labelNames: ['transport', 'command', 'outcome', 'code'],
      registers: [registry],
    });
  }

  count(transport: string, commands: readonly PushCommand[], results: readonly PushResult[]): void {
    for (const [index, { kind }] of commands.entries()) {
      const result = results[index] ?? { outcome: 'doubt' };
      const code = result.outcome === 'refused' ? result.code : '';
      this.results.inc({ transport, command: kind, outcome: result.outcome, code });
    }
  }
}
