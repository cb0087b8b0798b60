import { Injectable, NotFoundException } from '@nestjs/common';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { Unauthorized } from '../common/errors';
import { METRIC_PREFIX } from '../infrastructure/metrics/metrics.module';
import { OpsConfig } from '../config/sections/ops.config';
import { StreamHub } from '../push/stream/stream-hub';
import { HealthService } from './health.service';
import { secretsMatch } from './secrets-match';

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
      help: 'Whether a component of the service is up: 1 or 0',
      labelNames: ['part'],
      registers,
      async collect() {
        for (const [part, { isUp }] of Object.entries(await health.read())) {
          this.set({ part }, isUp ? 1 : 0);
        }
      },
    });
    new Gauge({
      name: `${METRIC_PREFIX}streams_open`,
      help: 'Open phone streams of this process',
      registers,
      collect() {
        this.set(streams.listOpen().length);
      },
    });
  }

  /** @throws NotFoundException without METRICS_TOKEN, Unauthorized without the token. */
  authorize(authorization: string | undefined): void {
    const { metricsToken } = this.config;
    if (metricsToken === undefined) throw new NotFoundException();
    const [, token = ''] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
    if (!secretsMatch(token, metricsToken)) throw new Unauthorized();
  }

  read(): Promise<string> {
    return this.registry.metrics();
  }
}
