import { Global, Module } from '@nestjs/common';
import { Registry } from 'prom-client';

export const METRIC_PREFIX = 'messaging_gateway_';

/** The Prometheus registry of the application, served by `ops`. */
@Global()
@Module({ providers: [{ provide: Registry, useFactory: () => new Registry() }], exports: [Registry] })
export class MetricsModule {}
