import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { createApp } from './bootstrap';
import { assertReachable, Unreachable } from './common/reachability';
import { loadConfiguration } from './config/configuration';
import { ConfigurationError } from './config/environment';
import { readProcessEnvironment } from './config/process-environment';

/** How long a shutdown may take before the process ends all the same. */
const SHUTDOWN_LIMIT_MS = 25_000;

async function main(): Promise<void> {
  const configuration = loadConfiguration(readProcessEnvironment());
  await assertReachable(configuration);
  const app = await createApp(configuration);
  const logger = new Logger('Service');
  if (configuration.roles.has('api')) {
    await app.listen(configuration.http.port, configuration.http.host);
    logger.log(`Listening on ${await app.getUrl()}`);
  } else {
    await app.init();
  }
  logger.log(`Ready as ${configuration.roles.roles.join(', ')}`);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => setTimeout(() => process.exit(1), SHUTDOWN_LIMIT_MS).unref());
  }
}

main().catch((failure: unknown) => {
  // What the operator can mend is told in one line each; all else comes with its stack.
  const isOperators = failure instanceof ConfigurationError || failure instanceof Unreachable;
  const text =
    failure instanceof Error && !isOperators ? (failure.stack ?? failure.message) : String(failure);
  process.stderr.write(`${text.replace(/^Error: /, '')}\n`);
  process.exit(1);
});
