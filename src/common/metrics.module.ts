import { Global, Module } from '@nestjs/common';
import { Registry } from 'prom-client';

/** What every metric of the service begins with. */
export const METRIC_PREFIX = 'messaging_gateway_';

/** Where each module registers what it counts; one registry an application, served by `ops`. */
@Global()
@Module({ providers: [{ provide: Registry, useFactory: () => new Registry() }], exports: [Registry] })
export class MetricsModule {}
