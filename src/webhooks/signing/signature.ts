import { createHmac } from 'node:crypto';
import { DAY_MS } from '../../common/durations';

/** A replaced secret signs `webhook-signature`, too, for 24 hours, so that the receiver can switch to the new one. */
export const PREVIOUS_SECRET_TTL_MS = DAY_MS;

const STANDARD_PREFIX = 'whsec_';

export interface SigningSecrets {
  readonly current: string;
  /** Replaced less than 24 hours ago, the latest five at most. */
  readonly previous: readonly string[];
}

/** `X-Signature`: hexadecimal HMAC-SHA256 of the exact bytes sent, always with the current secret. */
export function signature(body: Buffer, secret: string): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/**
 * `webhook-signature` of Standard Webhooks 1.0.0: for each secret, the version and a base64 HMAC-SHA256 of id,
 * timestamp and body.
 * @param timestamp Unix time in seconds.
 */
export function standardSignature(
  id: string,
  timestamp: number,
  body: Buffer,
  { current, previous }: SigningSecrets,
): string {
  return [current, ...previous]
    .map((secret) => {
      const hmac = createHmac('sha256', standardKey(secret)).update(`${id}.${timestamp}.`).update(body);
      return `v1,${hmac.digest('base64')}`;
    })
    .join(' ');
}

/** @returns why the secret is invalid; undefined when it is valid. */
export function signingSecretError(secret: string): string | undefined {
  if (!secret.startsWith(STANDARD_PREFIX) || isBase64(secret.slice(STANDARD_PREFIX.length))) return undefined;
  return 'begins with whsec_ and must continue with base64: letters, digits, + and /, padded with =';
}

function isBase64(text: string): boolean {
  return /^(?:[a-z\d+/]{4})*(?:[a-z\d+/]{2}(?:==)?|[a-z\d+/]{3}=?)?$/i.test(text) && text !== '';
}

/** A Standard Webhooks secret is `whsec_` and a base64 key; any other secret is used as UTF-8 bytes. */
function standardKey(secret: string): Buffer {
  const encoded = secret.startsWith(STANDARD_PREFIX) ? secret.slice(STANDARD_PREFIX.length) : '';
  return isBase64(encoded) ? Buffer.from(encoded, 'base64') : Buffer.from(secret);
}
