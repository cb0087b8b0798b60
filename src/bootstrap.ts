import { type INestApplication, ShutdownSignal } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module';
import { CONNECTION_LIMITS, LimitedFastifyAdapter } from './common/http/limited-fastify-adapter';
import { createSecurityHeaders } from './common/http/responses/security-headers';
import { Configuration } from './config/configuration';
import { HttpConfig } from './config/sections/http.config';
import { serveDashboard } from './dashboard/serve-dashboard';
import { serveDocument } from './openapi/openapi';
import { OPS_ROUTES, setupOps, setupRequestHook } from './ops/setup-ops';
import { ServiceLogger } from './infrastructure/logging/service-logger';

/** Creates the application. Tests use it too. */
export async function createApp(configuration: Configuration): Promise<NestFastifyApplication> {
  const module = AppModule.register(configuration);
  const { trustProxy, maxConnections } = configuration.http;
  const adapter = new LimitedFastifyAdapter(trustProxy, { ...CONNECTION_LIMITS, maxConnections });
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    bodyParser: false, // AuthModule parses bodies after authentication
    abortOnError: false,
    logger: new ServiceLogger(configuration.ops),
  });
  configureHttp(app, adapter);
  return app;
}

/** Prefixes the routes of the API, except health and metrics. */
export function setRoutePrefix(app: INestApplication): void {
  app.setGlobalPrefix('api/v1', { exclude: OPS_ROUTES });
}

export function configureHttp(app: NestFastifyApplication, adapter: LimitedFastifyAdapter): void {
  setupRequestHook(app, adapter);
  setRoutePrefix(app);
  setSecurityHeaders(adapter);
  enableCors(app);
  setupOps(app);
  serveDocument(app);
  const isDashboardServed = app.get(HttpConfig).dashboard && serveDashboard(app);
  if (!isDashboardServed) redirectToDocument(app);
  app.enableShutdownHooks([ShutdownSignal.SIGTERM, ShutdownSignal.SIGINT], { useProcessExit: true });
}

function setSecurityHeaders(adapter: LimitedFastifyAdapter): void {
  const setHeaders = createSecurityHeaders();
  adapter.getInstance().addHook('onRequest', (request, reply, done) => {
    setHeaders(request.raw, reply.raw);
    done();
  });
}

function redirectToDocument(app: NestFastifyApplication): void {
  const adapter = app.getHttpAdapter();
  adapter.get('/', (_: unknown, response: unknown) => {
    adapter.redirect(response, 302, 'docs'); // relative: a proxy may have put the service below a path
  });
}

/** Other origins authenticate with a token in a header: not with cookies, and not with an API key, which must stay out of browsers. */
function enableCors(app: NestFastifyApplication): void {
  const { corsOrigins } = app.get(HttpConfig);
  if (corsOrigins.length === 0) return;
  app.enableCors({
    origin: [...corsOrigins],
    credentials: false,
    methods: ['GET', 'POST', 'PATCH', 'DELETE'],
    allowedHeaders: ['authorization', 'content-type', 'idempotency-key', 'x-request-id'],
    exposedHeaders: ['idempotency-replayed', 'retry-after', 'x-ignored-fields', 'x-request-id'],
    maxAge: 600,
  });
}
