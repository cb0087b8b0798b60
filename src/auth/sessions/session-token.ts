import { createHash, randomBytes } from 'node:crypto';

/** A new secret of 256 random bits, in base64url. */
export function generateToken(prefix: string): string {
  return `${prefix}${randomBytes(32).toString('base64url')}`;
}

/** What is stored of a token. A plain hash is enough: tokens are random, nobody can guess them. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
