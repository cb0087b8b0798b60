import { createHash, randomInt } from 'node:crypto';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_CHARACTERS = 32;

/** A new API key: `mgw_` and 32 random base62 characters (190 bits). */
export function generateApiKey(): string {
  return `mgw_${Array.from({ length: RANDOM_CHARACTERS }, () => BASE62.charAt(randomInt(BASE62.length))).join('')}`;
}

/** The stored form of a key, which cannot be used in its place. */
export interface StoredKey {
  readonly hash: string;
  readonly start: string;
}

export function toStoredKey(key: string): StoredKey {
  // A key chosen by the operator (BOOTSTRAP_API_KEY) may be short.
  return { hash: hashApiKey(key), start: key.slice(0, key.startsWith('mgw_') ? 8 : 4) };
}

/** A hash without salt is enough for 190 random bits. */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
