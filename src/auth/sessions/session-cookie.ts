import type { IncomingHttpHeaders } from 'node:http';
import { CsrfCheckFailed } from './session.errors';

/**
 * Browsers accept a `__Host-` cookie only over TLS, so its name reveals the scheme of the page without trusting the headers
 * of a proxy.
 */
const COOKIE_NAMES = { https: '__Host-mgw_session', http: 'mgw_session' } as const;

export type Scheme = keyof typeof COOKIE_NAMES;

export interface SessionCookie {
  readonly scheme: Scheme;
  readonly token: string;
}

/** Reads the session cookie, which a credential in a header overrides. */
export function sessionCookieOf(headers: IncomingHttpHeaders): SessionCookie | undefined {
  if (headers['x-api-key'] !== undefined || bearerTokenOf(headers) !== undefined) return undefined;
  const cookies = readCookies(headers.cookie ?? '');
  for (const scheme of ['https', 'http'] as const) {
    const token = cookies.get(COOKIE_NAMES[scheme]);
    if (token) return { scheme, token };
  }
  return undefined;
}

/** The session token of a request, from the authorization header or else from the cookie. */
export function sessionTokenOf(headers: IncomingHttpHeaders): string | undefined {
  return bearerTokenOf(headers) ?? sessionCookieOf(headers)?.token;
}

function bearerTokenOf({ authorization = '' }: IncomingHttpHeaders): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization)?.[1];
}

/**
 * The scheme of the page that makes the request, if it has the same origin as the service. `X-Forwarded-Host` is safe
 * from any client: a page of another origin cannot send it, because the browser's CORS preflight is refused.
 */
export function ownOriginScheme(headers: IncomingHttpHeaders): Scheme | undefined {
  const [, scheme, host] = /^(https?):\/\/([^/]+)$/.exec(headers.origin ?? '') ?? [];
  const hosts = [headers.host, headers['x-forwarded-host']];
  return host !== undefined && hosts.includes(host) ? (scheme as Scheme) : undefined;
}

/**
 * Requires of a request with the session cookie what a page of another origin cannot send: the service's own origin and a
 * JSON content type.
 */
export function assertSameOrigin(method: string, headers: IncomingHttpHeaders): void {
  const cookie = sessionCookieOf(headers);
  if (!cookie || method === 'GET' || method === 'HEAD') return;
  if (ownOriginScheme(headers) !== cookie.scheme) throw new CsrfCheckFailed();
  assertJson(headers);
}

export function assertJson(headers: IncomingHttpHeaders): void {
  if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')) throw new CsrfCheckFailed();
}

/** @param maxAgeSeconds 0 removes the cookie. */
export function serializeCookie({ scheme, token }: SessionCookie, maxAgeSeconds: number): string {
  const secure = scheme === 'https' ? '; Secure' : '';
  return `${COOKIE_NAMES[scheme]}=${token}; Max-Age=${maxAgeSeconds}; Path=/; HttpOnly; SameSite=Strict${secure}`;
}

/** Of cookies with the same name the first wins: browsers send the one with the longest path first. */
function readCookies(header: string): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>();
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=');
    const name = pair.slice(0, Math.max(0, at)).trim();
    if (name && !cookies.has(name)) cookies.set(name, pair.slice(at + 1).trim());
  }
  return cookies;
}
