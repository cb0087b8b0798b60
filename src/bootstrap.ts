import type { IncomingMessage, ServerResponse } from 'node:http';
import { type INestApplication, ShutdownSignal } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import helmet from 'helmet';
import { AppModule } from './app.module';
import { HttpAdapter } from './common/http/http-adapter';
import { pathOf } from './common/http/raw-http';
import { Configuration } from './config/configuration';
import { HttpConfig } from './config/http.config';
import { serveDocument } from './openapi';
import { OPS_ROUTES, serveOps, watchRequests } from './ops/serve-ops';
import { ServiceLogger } from './ops/service-logger';

/** Builds the application as it runs in production; tests boot this very one. */
export async function createApp(configuration: Configuration): Promise<NestFastifyApplication> {
  const module = AppModule.register(configuration);
  const adapter = new HttpAdapter(configuration.http.trustProxy);
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    bodyParser: false, // AuthModule brings its own
    abortOnError: false,
    logger: new ServiceLogger(configuration.ops),
  });
  configureHttp(app, adapter);
  return app;
}

/** Where the routes stand: those of the API under its version, those of operations beside it. */
export function placeRoutes(app: INestApplication): void {
  app.setGlobalPrefix('api/v1', { exclude: OPS_ROUTES });
}

/** Answers carry keys, tokens, secrets and people's messages. */
function forbidCaching(request: IncomingMessage, response: ServerResponse, next: () => void): void {
  if (/^\/+api(\/|$)/i.test(pathOf(request))) response.setHeader('Cache-Control', 'no-store');
  next();
}

/** The conventions every route shares. */
export function configureHttp(app: NestFastifyApplication, adapter: HttpAdapter): void {
  watchRequests(app, adapter);
  placeRoutes(app);
  // The page of the document must also load where there is no HTTPS, as on a machine of one's own network.
  app.use(helmet({ contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } }));
  app.use(forbidCaching); // for paths in any case, which a path given here would not match
  allowOrigins(app);
  serveOps(app);
  serveDocument(app);
  app.enableShutdownHooks([ShutdownSignal.SIGTERM, ShutdownSignal.SIGINT], { useProcessExit: true });
}

/** Pages elsewhere send a token in a header: neither a cookie nor an API key, which does not belong into a browser. */
function allowOrigins(app: NestFastifyApplication): void {
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
