import { createHmac } from 'node:crypto';

/** How long a replaced secret still signs: the time its owner has to change the receiver over. */
export const PREVIOUS_SECRET_MS = 24 * 3_600_000;

const STANDARD_PREFIX = 'whsec_';

/** What a delivery signs with. */
export interface SigningSecrets {
  readonly current: string;
  /** Replaced less than 24 hours ago. */
  readonly previous: readonly string[];
}

/** `X-Signature` (specification, "Delivery mechanics"): hexadecimal HMAC-SHA256 of the exact bytes sent. */
export function signature(body: Buffer, secret: string): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/**
 * `webhook-signature` of the Standard Webhooks specification, 1.0.0: for each secret the scheme and a base64
 * HMAC-SHA256 of id, time and body.
 * @param timestamp seconds since 1970.
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

/** @returns why this cannot be a signing secret; undefined when it can. */
export function secretFault(secret: string): string | undefined {
  if (!secret.startsWith(STANDARD_PREFIX) || isBase64(secret.slice(STANDARD_PREFIX.length))) return undefined;
  return 'begins with whsec_, which base64 must follow: letters, digits, + and /, at its end = as padding';
}

function isBase64(text: string): boolean {
  return /^(?:[a-z\d+/]{4})*(?:[a-z\d+/]{2}(?:==)?|[a-z\d+/]{3}=?)?$/i.test(text) && text !== '';
}

/** Standard Webhooks writes random keys as `whsec_` and base64; any other secret is its own UTF-8 bytes. */
function standardKey(secret: string): Buffer {
  const encoded = secret.startsWith(STANDARD_PREFIX) ? secret.slice(STANDARD_PREFIX.length) : '';
  return isBase64(encoded) ? Buffer.from(encoded, 'base64') : Buffer.from(secret);
}
