import { createHash, randomBytes } from 'node:crypto';

/** @returns the prefix and 256 random bits in base64url. */
export function generateToken(prefix: string): string {
  return `${prefix}${randomBytes(32).toString('base64url')}`;
}

/** The stored form of an API key or token. These are random, so the hash needs no salt. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
