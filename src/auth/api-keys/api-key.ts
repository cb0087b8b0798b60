import { randomInt } from 'node:crypto';
import { hashSecret } from '../token';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_CHARACTERS = 32;

/** A new API key: `mgw_` and 32 random base62 characters (190 bits). */
export function generateApiKey(): string {
  return `mgw_${Array.from({ length: RANDOM_CHARACTERS }, () => BASE62.charAt(randomInt(BASE62.length))).join('')}`;
}

/** The stored form of a key. Its hash has no salt, so a key that the operator chooses (BOOTSTRAP_API_KEY) must be random too. */
export interface StoredKey {
  readonly hash: string;
  readonly start: string;
}

export function toStoredKey(key: string): StoredKey {
  // A key of the operator may be short.
  return { hash: hashSecret(key), start: key.slice(0, key.startsWith('mgw_') ? 8 : 4) };
}
