import { ShutdownSignal } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from './app.module';
import { HttpAdapter } from './common/http/http-adapter';
import { securityHeaders } from './common/http/security-headers';
import { Configuration } from './config/configuration';
import { HttpConfig } from './config/http.config';
import { serveDocument } from './openapi';
import { OPS_ROUTES, serveOps, watchRequests } from './ops/serve-ops';
import { ServiceLogger } from './ops/service-logger';

/** Builds the application as it runs in production; tests boot this very one. */
export async function createApp(configuration: Configuration): Promise<NestExpressApplication> {
  const module = AppModule.register(configuration);
  const app = await NestFactory.create<NestExpressApplication>(module, new HttpAdapter(), {
    bodyParser: false, // see JsonBodyGuard
    abortOnError: false,
    logger: new ServiceLogger(configuration.ops),
  });
  configureHttp(app, configuration.http);
  return app;
}

/** Where the routes stand: those of the API under its version, those of operations beside it. */
export function placeRoutes(app: NestExpressApplication): void {
  app.setGlobalPrefix('api/v1', { exclude: OPS_ROUTES });
}

/** The conventions every route shares. */
export function configureHttp(app: NestExpressApplication, { trustProxy }: HttpConfig): void {
  watchRequests(app);
  placeRoutes(app);
  app.set('trust proxy', trustProxy); // whom `request.ip` is asked of
  app.use(securityHeaders());
  app.disable('x-powered-by');
  app.disable('etag'); // nothing here is cached, and each would cost a hash
  serveOps(app);
  serveDocument(app);
  app.enableShutdownHooks([ShutdownSignal.SIGTERM, ShutdownSignal.SIGINT], { useProcessExit: true });
}
