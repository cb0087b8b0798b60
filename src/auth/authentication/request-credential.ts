import type { IncomingHttpHeaders } from 'node:http';
import type { Credential } from '../account-scope';
import type { SessionCookies } from '../sessions/session-cookie';

/** The credential that a request carries, not yet checked. */
export interface PresentedCredential {
  readonly kind: Credential['kind'];
  readonly secret: string;
}

/** Reads the credential of a request. An API key takes precedence over a session, even if it is invalid. */
export function credentialOf(
  headers: IncomingHttpHeaders,
  cookies: SessionCookies,
): PresentedCredential | undefined {
  const apiKey = headers['x-api-key'];
  if (apiKey !== undefined) return { kind: 'api-key', secret: String(apiKey) };
  const token = cookies.tokenOf(headers);
  return token === undefined ? undefined : { kind: 'session', secret: token };
}

/** The device token of a request: `Authorization: Bearer`. */
export function deviceTokenOf({ authorization = '' }: IncomingHttpHeaders): PresentedCredential | undefined {
  const [, secret] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
  return secret === undefined ? undefined : { kind: 'device-token', secret };
}
