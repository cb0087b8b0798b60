import { Global, Module } from '@nestjs/common';
import { Registry } from 'prom-client';

export const METRIC_PREFIX = 'messaging_gateway_';

@Global()
@Module({ providers: [{ provide: Registry, useFactory: () => new Registry() }], exports: [Registry] })
export class MetricsModule {}
