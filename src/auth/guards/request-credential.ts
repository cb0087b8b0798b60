import type { IncomingHttpHeaders } from 'node:http';
import { sessionTokenOf } from '../sessions/session-cookie';

/** The credential that a request carries, not yet checked. */
export interface PresentedCredential {
  readonly kind: 'api-key' | 'session';
  readonly secret: string;
}

/** Reads the credential of a request. An API key takes precedence over a session, even if it is invalid. */
export function credentialOf(headers: IncomingHttpHeaders): PresentedCredential | undefined {
  const apiKey = headers['x-api-key'];
  if (apiKey !== undefined) return { kind: 'api-key', secret: String(apiKey) };
  const token = sessionTokenOf(headers);
  return token === undefined ? undefined : { kind: 'session', secret: token };
}
