import { type INestApplication, ShutdownSignal } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module';
import { clientAddressOf } from './auth/http/client-address';
import { PublicRequestLimiter } from './auth/limits/public-request-limiter.service';
import { connectionLimitsOf } from './common/http/connections/http-server';
import { LimitedFastifyAdapter } from './common/http/limited-fastify-adapter';
import { hasHost, HOST_MISSING } from './common/http/connections/node-responses';
import { ErrorFilter } from './common/http/responses/error.filter';
import { createSecurityHeaders } from './common/http/responses/security-headers';
import { Configuration } from './config/configuration';
import { HttpConfig } from './config/sections/http.config';
import { SmsGateConfig } from './config/sections/smsgate.config';
import { serveDashboard } from './dashboard/serve-dashboard';
import { serveDocument } from './openapi/serve-document';
import { OPS_ROUTES, setupOps, setupRequestHook } from './ops/setup-ops';
import { ServiceLogger } from './infrastructure/logging/service-logger';

/** Creates the application. Tests use it too. */
export async function createApp(configuration: Configuration): Promise<NestFastifyApplication> {
  const module = AppModule.register(configuration);
  const { http } = configuration;
  const adapter = new LimitedFastifyAdapter(http, connectionLimitsOf(http));
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    bodyParser: false, // AuthGuardsModule parses bodies after authentication
    abortOnError: false,
    logger: new ServiceLogger(configuration.ops),
  });
  configureHttp(app, adapter);
  return app;
}

/** Prefixes the routes of the API, except health, metrics, and those of another protocol. */
export function setRoutePrefix(app: INestApplication): void {
  const { path } = app.get(SmsGateConfig, { strict: false });
  app.setGlobalPrefix('api/v1', { exclude: [...OPS_ROUTES, ...(path ? [`${path.slice(1)}/*route`] : [])] });
}

export function configureHttp(app: NestFastifyApplication, adapter: LimitedFastifyAdapter): void {
  setupRequestHook(app, adapter);
  setRoutePrefix(app);
  setSecurityHeaders(adapter);
  limitPublicRequests(app, adapter);
  requireHost(adapter);
  enableCors(app);
  setupOps(app);
  const { basePath, dashboard } = app.get(HttpConfig);
  serveDocument(app, basePath);
  const isDashboardServed = dashboard && serveDashboard(app, basePath);
  if (!isDashboardServed) redirectToDocument(app, basePath);
  app.enableShutdownHooks([ShutdownSignal.SIGTERM, ShutdownSignal.SIGINT], { useProcessExit: true });
}

function setSecurityHeaders(adapter: LimitedFastifyAdapter): void {
  const setHeaders = createSecurityHeaders();
  adapter.getInstance().addHook('onRequest', (request, reply, done) => {
    setHeaders(request.raw, reply.raw);
    done();
  });
}

/** Counts by address what no guard sees: pages, files, documents, unknown paths. */
function limitPublicRequests(app: NestFastifyApplication, adapter: LimitedFastifyAdapter): void {
  const limiter = app.get(PublicRequestLimiter, { strict: false });
  const errors = new ErrorFilter();
  const { path } = app.get(SmsGateConfig);
  // The routes of controllers, whose requests AuthGuard counts.
  const guarded = ['/api/v1', ...OPS_ROUTES.map((route) => `/${route}`), ...(path ? [path] : [])];
  const isGuarded = (url = '') => guarded.some((route) => url === route || url.startsWith(`${route}/`));
  adapter.getInstance().addHook('onRequest', async (request, reply) => {
    if (isGuarded(request.routeOptions.url)) return;
    await limiter.countFile(clientAddressOf(request)).catch((failure: unknown) => {
      errors.send(failure, request, reply);
    });
  });
}

function requireHost(adapter: LimitedFastifyAdapter): void {
  adapter.getInstance().addHook('onRequest', (request, reply, done) => {
    if (hasHost(request.raw)) done();
    else void reply.code(400).header('connection', 'close').send(HOST_MISSING);
  });
}

function redirectToDocument(app: NestFastifyApplication, basePath: string): void {
  const adapter = app.getHttpAdapter();
  adapter.get('/', (_: unknown, response: unknown) => {
    // Relative without a base path: a proxy may have removed one.
    adapter.redirect(response, 302, basePath ? `${basePath}/docs` : 'docs');
  });
}

/** Other origins authenticate with a token in a header: not with cookies, and not with an API key, which must stay out of browsers. */
function enableCors(app: NestFastifyApplication): void {
  const { corsOrigins } = app.get(HttpConfig);
  if (corsOrigins.length === 0) return;
  app.enableCors({
    origin: [...corsOrigins],
    credentials: false,
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: ['authorization', 'content-type', 'idempotency-key', 'x-request-id'],
    exposedHeaders: ['idempotency-replayed', 'retry-after', 'x-ignored-fields', 'x-request-id'],
    maxAge: 600,
  });
}
