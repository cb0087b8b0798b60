import { Injectable, NotFoundException } from '@nestjs/common';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { Unauthorized } from '../common/errors';
import { METRIC_PREFIX } from '../common/metrics.module';
import { OpsConfig } from '../config/ops.config';
import { StreamHub } from '../push/stream/stream-hub';
import { HealthService } from './health.service';
import { isSameSecret } from './same-secret';

/** What Prometheus reads of this process: what it counted, and how Node and the parts it stands on are. */
@Injectable()
export class MetricsService {
  constructor(
    private readonly registry: Registry,
    private readonly config: OpsConfig,
    health: HealthService,
    streams: StreamHub,
  ) {
    const registers = [registry];
    collectDefaultMetrics({ register: registry });
    new Gauge({
      name: `${METRIC_PREFIX}part_up`,
      help: 'Whether a part the service needs is well: 1, or 0 while it is not',
      labelNames: ['part'],
      registers,
      async collect() {
        for (const [part, { isWell }] of Object.entries(await health.read())) {
          this.set({ part }, isWell ? 1 : 0);
        }
      },
    });
    new Gauge({
      name: `${METRIC_PREFIX}streams_open`,
      help: 'Streams that phones hold at this process',
      registers,
      collect() {
        this.set(streams.open().length);
      },
    });
  }

  /**
   * Lets those in who show the token; where none is set there is no such page.
   * @throws NotFoundException, Unauthorized
   */
  admit(authorization: string | undefined): void {
    const { metricsToken } = this.config;
    if (metricsToken === undefined) throw new NotFoundException();
    const [, shown = ''] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
    if (!isSameSecret(shown, metricsToken)) throw new Unauthorized();
  }

  read(): Promise<string> {
    return this.registry.metrics();
  }
}
