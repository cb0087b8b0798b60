import { join } from 'node:path';

import { type Home } from './home';
import { getOrCreateSecret } from './secrets';

export const MONGODB_USER = 'messaging-gateway';

const MONGODB_PASSWORD = 'mongodb-password';

/** Creates the password on first use. Hexadecimal, so that URLs need no escapes. */
export function mongodbPassword(home: Home): string {
  return getOrCreateSecret(home.path, MONGODB_PASSWORD);
}

export function redisPassword(home: Home): string {
  return getOrCreateSecret(home.path, 'redis-password');
}

export function mongodbPasswordFile(home: Home): string {
  mongodbPassword(home);
  return join(home.path, MONGODB_PASSWORD);
}
