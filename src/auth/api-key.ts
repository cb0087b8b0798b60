import { createHash, randomInt } from 'node:crypto';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_CHARACTERS = 32;

/** A new API key: `mgw_` and 32 random base62 characters (190 bits). */
export function generateApiKey(): string {
  return `mgw_${Array.from({ length: RANDOM_CHARACTERS }, () => BASE62.charAt(randomInt(BASE62.length))).join('')}`;
}

/** What is stored of a key. A plain hash is enough: the keys are random, there is nothing to guess. */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
