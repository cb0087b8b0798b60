import { join } from 'node:path';

import { type Home } from './home';
import { getOrCreateSecret } from './secrets';

/** The user of MongoDB, or of the front in its place. */
export const MONGODB_USER = 'messaging-gateway';

const MONGODB_PASSWORD = 'mongodb-password';

/** The password of a home's MongoDB, created on first use. It is hexadecimal, so a URL needs no escapes. */
export function mongodbPassword(home: Home): string {
  return getOrCreateSecret(home.path, MONGODB_PASSWORD);
}

/** The password of a home's Redis, created on first use. */
export function redisPassword(home: Home): string {
  return getOrCreateSecret(home.path, 'redis-password');
}

/** The file that holds the password of MongoDB, created on first use. */
export function mongodbPasswordFile(home: Home): string {
  mongodbPassword(home);
  return join(home.path, MONGODB_PASSWORD);
}
