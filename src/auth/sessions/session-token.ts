import { createHash, randomBytes } from 'node:crypto';

/** @returns the prefix and 256 random bits in base64url. */
export function generateToken(prefix: string): string {
  return `${prefix}${randomBytes(32).toString('base64url')}`;
}

/** The stored form of a token. A hash without salt is enough for 256 random bits. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
