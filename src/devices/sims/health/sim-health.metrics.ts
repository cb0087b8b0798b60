import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import { METRIC_PREFIX } from '../../../infrastructure/metrics/metrics.module';
import { BLOCK_KINDS, type BlockKind } from './breaker';

@Injectable()
export class SimHealthMetrics {
  private readonly openings: Counter<'kind'>;

  constructor(registry: Registry) {
    this.openings = new Counter({
      name: `${METRIC_PREFIX}sim_breaker_openings_total`,
      help: 'SIMs found unhealthy: their messages fail, or are no longer delivered (silence)',
      labelNames: ['kind'],
      registers: [registry],
    });
    // From the start, because the increase from a missing value is not seen.
    for (const kind of BLOCK_KINDS) this.openings.inc({ kind }, 0);
  }

  countOpening(kind: BlockKind): void {
    this.openings.inc({ kind });
  }
}
