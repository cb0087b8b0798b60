import { isatty } from 'node:tty';
import { ConsoleLogger, ShutdownSignal } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { NestExpressApplication } from '@nestjs/platform-express';
import helmet from 'helmet';
import { AppModule } from './app.module';
import { Configuration } from './config/configuration';
import { serveDocument } from './openapi';

/** What a phone or client may take to send a request's headers, and the request as a whole. */
const HEADERS_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 60_000;

/**
 * How long a connection may be idle: longer than clients and proxies keep theirs (a minute, as a rule), so that none
 * sends a request into one that is being closed here.
 */
const KEEP_ALIVE_MS = 65_000;

/** What Nest tells of its own wiring says nothing to an operator. */
const WIRING = new Set([
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestFactory',
  'NestApplication',
]);

class ServiceLogger extends ConsoleLogger {
  override log(message: unknown, ...rest: unknown[]): void {
    if (!WIRING.has(String(rest.at(-1)))) super.log(message, ...rest);
  }

  /** What fails while Nest starts is thrown as well, and told by whoever started it. */
  override error(message: unknown, ...rest: unknown[]): void {
    if (!WIRING.has(String(rest.at(-1)))) super.error(message, ...rest);
  }
}

/** Builds the application as it runs in production; tests boot this very one. */
export async function createApp(configuration: Configuration): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(AppModule.register(configuration), {
    bodyParser: false, // see JsonBodyInterceptor
    abortOnError: false,
    logger: new ServiceLogger({
      json: configuration.http.logFormat === 'json',
      colors: configuration.http.logFormat === 'text' && isatty(process.stdout.fd),
      prefix: 'messaging-gateway',
      logLevels: ['log', 'warn', 'error', 'fatal'],
    }),
  });
  configureHttp(app);
  return app;
}

/** The conventions every route shares. */
export function configureHttp(app: NestExpressApplication): void {
  app.setGlobalPrefix('api/v1');
  // The page of the document must also load where there is no HTTPS, as on a machine of one's own network.
  app.use(helmet({ contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } }));
  app.disable('x-powered-by');
  app.disable('etag'); // nothing here is cached, and each would cost a hash
  serveDocument(app);
  app.enableShutdownHooks([ShutdownSignal.SIGTERM, ShutdownSignal.SIGINT], { useProcessExit: true });
  const server = app.getHttpServer();
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
}
