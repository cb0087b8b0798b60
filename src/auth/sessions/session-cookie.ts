import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import {
  type PlatformRequest,
  type PlatformResponse,
  rawRequestOf,
  rawResponseOf,
} from '../../common/http/raw-http';
import { CsrfCheckFailed } from './session.errors';
import { type NewSession, SESSION_LIFETIME_MS } from './sessions.service';

/**
 * Browsers accept a `__Host-` cookie only over TLS, so its name reveals the scheme of the page without trusting the headers
 * of a proxy.
 */
const COOKIE_NAMES = { https: '__Host-mgw_session', http: 'mgw_session' } as const;

type Scheme = keyof typeof COOKIE_NAMES;

interface SessionCookie {
  readonly scheme: Scheme;
  readonly token: string;
}

/** Reads the session cookie, which a credential in a header overrides. */
function sessionCookieOf(headers: IncomingHttpHeaders): SessionCookie | undefined {
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
function ownOriginScheme(headers: IncomingHttpHeaders): Scheme | undefined {
  const [, scheme, host] = /^(https?):\/\/([^/]+)$/.exec(headers.origin ?? '') ?? [];
  const hosts = [headers.host, headers['x-forwarded-host']];
  return host !== undefined && hosts.includes(host) ? (scheme as Scheme) : undefined;
}

/**
 * Requires of a request with the session cookie what a page of another origin cannot send: the service's own origin and a
 * JSON content type.
 * @throws CsrfCheckFailed
 */
export function assertSameOrigin(method: string, headers: IncomingHttpHeaders): void {
  const cookie = sessionCookieOf(headers);
  if (!cookie || method === 'GET' || method === 'HEAD') return;
  if (ownOriginScheme(headers) !== cookie.scheme) throw new CsrfCheckFailed();
  assertJson(headers);
}

/** The session token as a cookie that scripts cannot read, for pages of the service itself. */
export class SessionCookieWriter {
  constructor(
    private readonly headers: IncomingHttpHeaders,
    private readonly response: ServerResponse,
  ) {}

  /** Call it before a session is created. @throws CsrfCheckFailed for a page of the service that does not send JSON. */
  assertMayIssue(): void {
    if (ownOriginScheme(this.headers) !== undefined) assertJson(this.headers);
  }

  /**
   * Sets the cookie if the caller is a page of the service.
   * @returns the token for every other caller, who sends it as `authorization: Bearer`.
   */
  issue(session: NewSession): string | undefined {
    return this.set(ownOriginScheme(this.headers), session);
  }

  /** Replaces the cookie if the request has one. @returns the token otherwise. */
  replace(session: NewSession): string | undefined {
    return this.set(sessionCookieOf(this.headers)?.scheme, session);
  }

  /** Removes the cookie if the request has one. */
  clear(): void {
    const cookie = sessionCookieOf(this.headers);
    if (cookie) this.write(cookie.scheme, '', 0);
  }

  private set(scheme: Scheme | undefined, { token }: NewSession): string | undefined {
    if (scheme === undefined) return token;
    this.write(scheme, token, SESSION_LIFETIME_MS / 1_000);
    return undefined;
  }

  private write(scheme: Scheme, token: string, maxAgeSeconds: number): void {
    const attributes = `Max-Age=${maxAgeSeconds}; Path=/; HttpOnly; SameSite=Strict`;
    const secure = scheme === 'https' ? '; Secure' : '';
    this.response.setHeader('Set-Cookie', `${COOKIE_NAMES[scheme]}=${token}; ${attributes}${secure}`);
  }
}

export const SessionCookies = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const http = context.switchToHttp();
  const { headers } = rawRequestOf(http.getRequest<PlatformRequest>());
  return new SessionCookieWriter(headers, rawResponseOf(http.getResponse<PlatformResponse>()));
});

/** @throws CsrfCheckFailed */
function assertJson(headers: IncomingHttpHeaders): void {
  if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')) throw new CsrfCheckFailed();
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
