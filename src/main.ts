import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp } from './bootstrap';
import { OperatorError } from './common/errors';
import { assertReachable } from './infrastructure/reachability';
import { type Configuration, loadConfiguration } from './config/configuration';
import { FIREBASE_SETTINGS } from './config/sections/push.config';
import { readProcessEnvironment } from './config/environment';
import { formatOperatorError } from './infrastructure/logging/format-operator-error';

/** The process exits after this time even if the shutdown has not finished. */
const SHUTDOWN_TIMEOUT_MS = 25_000;

async function main(): Promise<void> {
  const configuration = loadConfiguration(readProcessEnvironment());
  await assertReachable(configuration);
  const app = await createApp(configuration);
  const logger = new Logger('Service');
  const address = listenAddressOf(configuration);
  if (address) {
    await listen(app, address);
    logger.log(`Listening on ${await app.getUrl()}`);
  } else {
    await app.init();
  }
  const push = configuration.push.serviceAccount
    ? 'over FCM and streams'
    : `over streams only (${FIREBASE_SETTINGS} are not set)`;
  logger.log(`Ready as ${configuration.roles.roles.join(', ')}; phones are reached ${push}`);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => setTimeout(() => process.exit(1), SHUTDOWN_TIMEOUT_MS).unref());
  }
}

interface ListenAddress {
  /** The setting, for the error message. */
  readonly variable: 'PORT' | 'OPS_PORT';
  readonly port: number;
  readonly host: string;
}

/** @returns undefined if the process does not listen. */
function listenAddressOf({ roles, http, ops }: Configuration): ListenAddress | undefined {
  const { host } = http;
  if (roles.has('api')) return { variable: 'PORT', port: http.port, host };
  return ops.port === undefined ? undefined : { variable: 'OPS_PORT', port: ops.port, host };
}

async function listen(app: NestFastifyApplication, { variable, port, host }: ListenAddress): Promise<void> {
  try {
    await app.listen(port, host);
  } catch (failure) {
    const code = failure instanceof Error && 'code' in failure ? failure.code : undefined;
    if (code === 'EADDRINUSE')
      throw new OperatorError(`Port ${port} is in use; set ${variable} to a free port`);
    if (code === 'EADDRNOTAVAIL')
      throw new OperatorError(`This machine has no address ${host}; set HOST to one of its addresses`);
    throw failure;
  }
}

main().catch((failure: unknown) => {
  process.stderr.write(`${formatOperatorError(failure)}\n`);
  process.exit(1);
});
