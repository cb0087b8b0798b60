import type { IncomingHttpHeaders } from 'node:http';
import { sessionTokenOf } from './sessions/session-cookie';

/** What a request presents to open an account. */
export interface PresentedCredential {
  readonly kind: 'api-key' | 'session';
  readonly secret: string;
}

/** Reads the credential of a request. An API key counts before a session, also when it opens nothing. */
export function credentialOf(headers: IncomingHttpHeaders): PresentedCredential | undefined {
  const apiKey = headers['x-api-key'];
  if (apiKey !== undefined) return { kind: 'api-key', secret: String(apiKey) };
  const token = sessionTokenOf(headers);
  return token === undefined ? undefined : { kind: 'session', secret: token };
}
