import type { ServerResponse } from 'node:http';
import { Injectable, Logger } from '@nestjs/common';
import { Histogram, Registry } from 'prom-client';
import { logIds, withLogIds } from '../infrastructure/logging/log-ids';
import { METRIC_PREFIX } from '../infrastructure/metrics/metrics.module';

const BUCKETS_S = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Measures and logs each request by its route template, because paths can hold personal data. */
@Injectable()
export class RequestMetrics {
  private readonly logger = new Logger('Request');
  private readonly durations: Histogram<'method' | 'route' | 'status'>;

  constructor(registry: Registry) {
    this.durations = new Histogram({
      name: `${METRIC_PREFIX}http_request_duration_seconds`,
      help: 'Requests by route template; the status is aborted if the client disconnected before the response',
      labelNames: ['method', 'route', 'status'],
      buckets: BUCKETS_S,
      registers: [registry],
    });
  }

  /** @param routeOf returns the route template; called at the end of the request. */
  observe(method: string, response: ServerResponse, routeOf: () => string): void {
    const started = performance.now();
    const ids = logIds();
    response.once('close', () => {
      const seconds = (performance.now() - started) / 1_000;
      const route = routeOf();
      const status = response.writableFinished ? response.statusCode : 'aborted';
      // A stream lasts as long as the phone is connected.
      const isStream = String(response.getHeader('content-type')).startsWith('text/event-stream');
      if (!isStream) this.durations.observe({ method, route, status }, seconds);
      withLogIds(ids, () => {
        this.logger.debug(`${method} ${route}: ${status}, ${Math.round(seconds * 1_000)} ms`);
      });
    });
  }
}
