import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp } from './bootstrap';
import { OperatorError } from './common/errors';
import { assertReachable } from './common/reachability';
import { type Configuration, loadConfiguration } from './config/configuration';
import { FIREBASE_SETTINGS } from './config/push.config';
import { readProcessEnvironment } from './config/process-environment';
import { failureText } from './failure-text';

/** How long a shutdown may take before the process ends all the same. */
const SHUTDOWN_LIMIT_MS = 25_000;

async function main(): Promise<void> {
  const configuration = loadConfiguration(readProcessEnvironment());
  await assertReachable(configuration);
  const app = await createApp(configuration);
  const logger = new Logger('Service');
  const place = placeOf(configuration);
  if (place) {
    await listen(app, place);
    logger.log(`Listening on ${await app.getUrl()}`);
  } else {
    await app.init();
  }
  const push = configuration.push.serviceAccount
    ? 'over FCM and streams'
    : `over streams only (${FIREBASE_SETTINGS} are not set)`;
  logger.log(`Ready as ${configuration.roles.roles.join(', ')}; phones are reached ${push}`);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => setTimeout(() => process.exit(1), SHUTDOWN_LIMIT_MS).unref());
  }
}

/** Where a process listens, and what sets it. */
interface Place {
  readonly variable: 'PORT' | 'OPS_PORT';
  readonly port: number;
  readonly host: string;
}

/** @returns undefined for a process that nobody calls. */
function placeOf({ roles, http, ops }: Configuration): Place | undefined {
  const { host } = http;
  if (roles.has('api')) return { variable: 'PORT', port: http.port, host };
  return ops.port === undefined ? undefined : { variable: 'OPS_PORT', port: ops.port, host };
}

class CannotListen extends OperatorError {}

async function listen(app: NestFastifyApplication, { variable, port, host }: Place): Promise<void> {
  try {
    await app.listen(port, host);
  } catch (failure) {
    const code = failure instanceof Error && 'code' in failure ? failure.code : undefined;
    if (code === 'EADDRINUSE') throw new CannotListen(`Port ${port} is taken; set ${variable} to a free one`);
    if (code === 'EADDRNOTAVAIL') throw new CannotListen(`There is no address ${host} here; set HOST to one`);
    throw failure;
  }
}

main().catch((failure: unknown) => {
  process.stderr.write(`${failureText(failure)}\n`);
  process.exit(1);
});
