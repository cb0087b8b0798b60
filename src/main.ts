import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp } from './bootstrap';
import { MAX_UNACCEPTED_CONNECTIONS } from './common/http/connections/http-server';
import { OperatorError } from './common/errors';
import { listenErrorText, type ListenAddress } from './infrastructure/listen-error';
import { assertReachable } from './infrastructure/reachability';
import { type Configuration, loadConfiguration } from './config/configuration';
import { FIREBASE_SETTINGS } from './config/sections/push.config';
import { readProcessEnvironment } from './config/environment/environment';
import { PhoneAddresses } from './pairing-codes/addresses/phone-addresses.service';
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
  const forPhones = configuration.roles.has('api') ? addressesForPhones(app) : [];
  if (forPhones.length > 0) logger.log(`The app on a phone reaches it at ${forPhones.join(', ')}`);
  logger.log(`Ready as ${configuration.roles.roles.join(', ')}; phones are reached ${push}`);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => setTimeout(() => process.exit(1), SHUTDOWN_TIMEOUT_MS).unref());
  }
}

const addressesForPhones = (app: NestFastifyApplication): string[] =>
  app
    .get(PhoneAddresses, { strict: false })
    .list()
    .filter(({ kind }) => kind !== 'cable')
    .map(({ url }) => url);

/** @returns undefined if the process does not listen. */
function listenAddressOf({ roles, http, ops }: Configuration): ListenAddress | undefined {
  const { host } = http;
  if (roles.has('api')) return { variable: 'PORT', port: http.port, host };
  return ops.port === undefined ? undefined : { variable: 'OPS_PORT', port: ops.port, host };
}

async function listen(app: NestFastifyApplication, address: ListenAddress): Promise<void> {
  try {
    await app.listen({ port: address.port, host: address.host, backlog: MAX_UNACCEPTED_CONNECTIONS });
  } catch (failure) {
    const code = failure instanceof Error && 'code' in failure ? String(failure.code) : '';
    const text = listenErrorText(code, address);
    throw text === undefined ? failure : new OperatorError(text);
  }
}

main().catch((failure: unknown) => {
  process.stderr.write(`${formatOperatorError(failure)}\n`);
  process.exit(1);
});
