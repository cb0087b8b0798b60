import { createHash, randomInt } from 'node:crypto';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_CHARACTERS = 32;

/** A new API key: `mgw_` and 32 random base62 characters (190 bits). */
export function generateApiKey(): string {
  return `mgw_${Array.from({ length: RANDOM_CHARACTERS }, () => BASE62.charAt(randomInt(BASE62.length))).join('')}`;
}

/** What is stored of a key: enough to know it again, nothing to use it with. */
export interface StoredKey {
  readonly hash: string;
  readonly start: string;
}

export function toStoredKey(key: string): StoredKey {
  // An operator's own key may be short: less of it is shown.
  return { hash: hashApiKey(key), start: key.slice(0, key.startsWith('mgw_') ? 8 : 4) };
}

/** What is kept to find a key by. A plain hash is enough: the keys are random, there is nothing to guess. */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
