import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApp } from './bootstrap';
import { OperatorError } from './common/errors';
import { assertReachable } from './common/reachability';
import { loadConfiguration } from './config/configuration';
import type { HttpConfig } from './config/http.config';
import { readProcessEnvironment } from './config/process-environment';
import { failureText } from './failure-text';

/** How long a shutdown may take before the process ends all the same. */
const SHUTDOWN_LIMIT_MS = 25_000;

async function main(): Promise<void> {
  const configuration = loadConfiguration(readProcessEnvironment());
  await assertReachable(configuration);
  const app = await createApp(configuration);
  const logger = new Logger('Service');
  if (configuration.roles.has('api')) {
    await listen(app, configuration.http);
    logger.log(`Listening on ${await app.getUrl()}`);
  } else {
    await app.init();
  }
  logger.log(`Ready as ${configuration.roles.roles.join(', ')}`);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      // What is answered now is the last on its connection.
      app.getHttpServer().keepAliveTimeout = 1;
      setTimeout(() => process.exit(1), SHUTDOWN_LIMIT_MS).unref();
    });
  }
}

class CannotListen extends OperatorError {}

async function listen(app: NestExpressApplication, { port, host }: HttpConfig): Promise<void> {
  try {
    await app.listen(port, host);
  } catch (failure) {
    const code = failure instanceof Error && 'code' in failure ? failure.code : undefined;
    if (code === 'EADDRINUSE') throw new CannotListen(`Port ${port} is taken; set PORT to a free one`);
    if (code === 'EADDRNOTAVAIL') throw new CannotListen(`There is no address ${host} here; set HOST to one`);
    throw failure;
  }
}

main().catch((failure: unknown) => {
  process.stderr.write(`${failureText(failure)}\n`);
  process.exit(1);
});
