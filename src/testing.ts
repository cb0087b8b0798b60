/** For tests of applications that import this package: settings, accounts and phones. */
import { randomBytes } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import { type Connection, Types } from 'mongoose';
import { accountScope, type AccountScope } from './auth/account-scope';
import { newVerifiedAccount } from './auth/accounts/account.schema';
import { AccountsRepository } from './auth/accounts/accounts.repository';
import { generateApiKey, toStoredKey } from './auth/api-keys/api-key';
import { ApiKeysRepository } from './auth/api-keys/api-keys.repository';
import { Clock } from './common/clock';
import type { Environment } from './config/environment/environment';
import type { DeviceAttributes } from './devices/store/device-attributes';
import { DevicesService, type DeviceView } from './devices/devices.service';

export { Clock };

const TEST_DATABASE = /^test_[0-9a-f]{12}$/;

export interface TestAccount {
  readonly account: AccountScope;
  /** For the header `x-api-key`. */
  readonly apiKey: string;
}

/** The required settings of `loadConfiguration`, with a new database and Redis prefix. */
export function testEnvironment(servers: {
  readonly mongodbUri: string;
  readonly redisUrl: string;
}): Environment {
  const name = `test_${randomBytes(6).toString('hex')}`;
  return {
    MONGODB_URI: servers.mongodbUri,
    MONGODB_DATABASE: name,
    REDIS_URL: servers.redisUrl,
    REDIS_PREFIX: name,
    TOKEN_SECRET: randomBytes(24).toString('hex'),
    ENCRYPTION_KEYS: randomBytes(32).toString('hex'),
  };
}

/** Creates a verified account with an API key. Requires AuthModule. */
export async function createTestAccount(app: INestApplicationContext, name = 'Test'): Promise<TestAccount> {
  const user = new Types.ObjectId();
  const now = app.get(Clock, { strict: false }).now();
  await app
    .get(AccountsRepository, { strict: false })
    .create(newVerifiedAccount({ _id: user, email: `${user.toHexString()}@example.com`, name }, now));
  const apiKey = generateApiKey();
  await app
    .get(ApiKeysRepository, { strict: false })
    .upsert(accountScope(user), toStoredKey(apiKey), 'Test key', now);
  return { account: accountScope(user), apiKey };
}

/** Pairs a phone that uses a stream. Requires DevicesModule. */
export function createTestDevice(
  app: INestApplicationContext,
  account: AccountScope,
  facts: DeviceAttributes = {},
): Promise<DeviceView> {
  const device = {
    pushTransport: 'stream',
    brand: 'google',
    model: 'Pixel 8',
    buildId: 'AP2A.240805.005',
  } as const;
  const serial = randomBytes(8).toString('hex');
  return app.get(DevicesService, { strict: false }).register(account, { ...device, serial, ...facts });
}

/** @throws Error unless `testEnvironment` created the database. */
export async function dropTestDatabase(app: INestApplicationContext): Promise<void> {
  const connection = app.get<Connection>(getConnectionToken(), { strict: false });
  if (!TEST_DATABASE.test(connection.name)) throw new Error(`${connection.name} is not a test database`);
  await connection.dropDatabase();
}
