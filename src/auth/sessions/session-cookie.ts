import type { IncomingHttpHeaders } from 'node:http';
import { CsrfCheckFailed } from './session.errors';

/**
 * The name says how the cookie was set. A browser takes `__Host-` only over TLS, with `Secure`, for this host alone: so
 * the scheme of the page is known without trusting what a proxy says.
 */
const COOKIE_NAMES = { https: '__Host-mgw_session', http: 'mgw_session' } as const;

export type Scheme = keyof typeof COOKIE_NAMES;

/** The session cookie of a request. */
export interface SessionCookie {
  readonly scheme: Scheme;
  readonly token: string;
}

/** Reads the session cookie. A credential in a header makes it ignored. */
export function sessionCookieOf(headers: IncomingHttpHeaders): SessionCookie | undefined {
  if (headers['x-api-key'] !== undefined || bearerTokenOf(headers) !== undefined) return undefined;
  const cookies = readCookies(headers.cookie ?? '');
  for (const scheme of ['https', 'http'] as const) {
    const token = cookies.get(COOKIE_NAMES[scheme]);
    if (token) return { scheme, token };
  }
  return undefined;
}

/** The token of a session, from the header or else from the cookie. */
export function sessionTokenOf(headers: IncomingHttpHeaders): string | undefined {
  return bearerTokenOf(headers) ?? sessionCookieOf(headers)?.token;
}

function bearerTokenOf({ authorization = '' }: IncomingHttpHeaders): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization)?.[1];
}

/**
 * The scheme of the page that makes the request, if the page is the service's own.
 *
 * A page elsewhere cannot send `X-Forwarded-Host`, because a browser asks for leave first, and gets none. So it need not
 * come from a trusted proxy.
 */
export function ownOriginScheme(headers: IncomingHttpHeaders): Scheme | undefined {
  const [, scheme, host] = /^(https?):\/\/([^/]+)$/.exec(headers.origin ?? '') ?? [];
  const hosts = [headers.host, headers['x-forwarded-host']];
  return host !== undefined && hosts.includes(host) ? (scheme as Scheme) : undefined;
}

/**
 * Holds a request with the cookie to what a page elsewhere cannot send: a JSON content type, and the service's own origin.
 * @throws CsrfCheckFailed
 */
export function assertSameOrigin(method: string, headers: IncomingHttpHeaders, scheme: Scheme): void {
  if (method === 'GET' || method === 'HEAD') return;
  if (ownOriginScheme(headers) !== scheme) throw new CsrfCheckFailed();
  assertJson(headers);
}

/** @throws CsrfCheckFailed */
export function assertJson(headers: IncomingHttpHeaders): void {
  if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')) throw new CsrfCheckFailed();
}

/** @param maxAgeSeconds 0 removes the cookie. */
export function serializeCookie({ scheme, token }: SessionCookie, maxAgeSeconds: number): string {
  const secure = scheme === 'https' ? '; Secure' : '';
  return `${COOKIE_NAMES[scheme]}=${token}; Max-Age=${maxAgeSeconds}; Path=/; HttpOnly; SameSite=Strict${secure}`;
}

/** The first of a name counts: browsers send the one with the longest path first. */
function readCookies(header: string): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>();
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=');
    const name = pair.slice(0, Math.max(0, at)).trim();
    if (name && !cookies.has(name)) cookies.set(name, pair.slice(at + 1).trim());
  }
  return cookies;
}
