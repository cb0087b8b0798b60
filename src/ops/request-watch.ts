import type { ServerResponse } from 'node:http';
import { Injectable, Logger } from '@nestjs/common';
import { Histogram, Registry } from 'prom-client';
import { logIds, withLogIds } from '../common/log-ids';
import { METRIC_PREFIX } from '../common/metrics.module';

/** Seconds. */
const DURATIONS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Measures every request by the template of its route, and logs it: what stands in a path is nobody's business. */
@Injectable()
export class RequestWatch {
  private readonly logger = new Logger('Request');
  private readonly durations: Histogram<'method' | 'route' | 'status'>;

  constructor(registry: Registry) {
    this.durations = new Histogram({
      name: `${METRIC_PREFIX}http_request_duration_seconds`,
      help: 'Requests by the template of their route; status is aborted where the client left before the answer',
      labelNames: ['method', 'route', 'status'],
      buckets: DURATIONS,
      registers: [registry],
    });
  }

  /** @param routeOf the template of the route, asked at the end of the request. */
  watch(method: string, response: ServerResponse, routeOf: () => string): void {
    const started = performance.now();
    const ids = logIds();
    response.once('close', () => {
      const seconds = (performance.now() - started) / 1_000;
      const route = routeOf();
      const status = response.writableFinished ? response.statusCode : 'aborted';
      // How long a phone holds its stream says nothing of how fast the service is.
      const isStream = String(response.getHeader('content-type')).startsWith('text/event-stream');
      if (!isStream) this.durations.observe({ method, route, status }, seconds);
      withLogIds(ids, () => {
        this.logger.debug(`${method} ${route}: ${status}, ${Math.round(seconds * 1_000)} ms`);
      });
    });
  }
}
