import { createHmac, timingSafeEqual } from 'node:crypto';

/** The key with which the app signs what it posts. Derived from the hash of its token, so it ends with the token. */
export const signingKeyOf = (tokenHash: string): string =>
  createHmac('sha256', tokenHash).update('smsgate-hook').digest('hex');

export interface SignedPost {
  /** As it was sent: the signature covers its bytes. */
  readonly body: string;
  /** `X-Timestamp`: Unix seconds. */
  readonly timestamp: string;
  /** `X-Signature`: hex HMAC-SHA256 of body and timestamp. */
  readonly signature: string;
}

export function isSignedWith(key: string, { body, timestamp, signature }: SignedPost): boolean {
  const expected = createHmac('sha256', key).update(body).update(timestamp).digest();
  const given = Buffer.from(signature, 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
