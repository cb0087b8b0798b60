import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createParamDecorator, type ExecutionContext, Injectable, type PipeTransform } from '@nestjs/common';
import {
  type PlatformRequest,
  type PlatformResponse,
  rawRequestOf,
  rawResponseOf,
} from '../../common/http/connections/raw-http';
import { isCsvType } from '../../common/http/requests/streamed-body';
import { HttpConfig } from '../../config/sections/http.config';
import { CsrfCheckFailed } from './session.errors';
import { type NewSession, SESSION_LIFETIME_MS } from './sessions.service';

type Scheme = 'https' | 'http';

/**
 * Browsers accept a `__Host-` or `__Secure-` cookie only over TLS, so its name reveals the scheme of the page without trusting
 * the headers of a proxy. A `__Host-` cookie, which no other host of the domain can set, is for a whole host.
 */
const namesBelow = (basePath: string): Record<Scheme, string> => ({
  https: basePath === '' ? '__Host-mgw_session' : '__Secure-mgw_session',
  http: 'mgw_session',
});

interface SessionCookie {
  readonly scheme: Scheme;
  readonly token: string;
}

/** The cookies of the sessions of people who use pages of the service itself. */
@Injectable()
export class SessionCookies {
  private readonly names: Record<Scheme, string>;
  private readonly path: string;

  constructor({ basePath }: HttpConfig) {
    this.names = namesBelow(basePath);
    this.path = basePath || '/';
  }

  /** The session token of a request, from the authorization header or else from the cookie. */
  tokenOf(headers: IncomingHttpHeaders): string | undefined {
    return bearerTokenOf(headers) ?? this.read(headers)?.token;
  }

  /**
   * Requires of a request with the session cookie what a page of another origin cannot send: the service's own origin and a
   * content type of JSON, or of CSV for files.
   * @throws CsrfCheckFailed
   */
  assertSameOrigin(method: string, headers: IncomingHttpHeaders): void {
    const cookie = this.read(headers);
    if (!cookie || method === 'GET' || method === 'HEAD') return;
    if (ownOriginScheme(headers) !== cookie.scheme) throw new CsrfCheckFailed();
    if (!isCsvType(headers['content-type'])) assertJson(headers);
  }

  /**
   * Reads the session cookie, which a credential in a header overrides. Over HTTPS the plain cookie counts for nothing: another
   * host of the domain, or anybody in the network, can set one.
   */
  read(headers: IncomingHttpHeaders): SessionCookie | undefined {
    if (headers['x-api-key'] !== undefined || bearerTokenOf(headers) !== undefined) return undefined;
    const cookies = readCookies(headers.cookie ?? '');
    for (const scheme of isOverHttps(headers) ? (['https'] as const) : (['https', 'http'] as const)) {
      const token = cookies.get(this.names[scheme]);
      if (token) return { scheme, token };
    }
    return undefined;
  }

  /** @param token empty to remove the cookie. */
  write(response: ServerResponse, scheme: Scheme, token: string): void {
    const maxAgeSeconds = token === '' ? 0 : SESSION_LIFETIME_MS / 1_000;
    const attributes = `Max-Age=${maxAgeSeconds}; Path=${this.path}; HttpOnly; SameSite=Strict`;
    const secure = scheme === 'https' ? '; Secure' : '';
    response.setHeader('Set-Cookie', `${this.names[scheme]}=${token}; ${attributes}${secure}`);
  }
}

function bearerTokenOf({ authorization = '' }: IncomingHttpHeaders): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization)?.[1];
}

/**
 * The scheme of the page that makes the request, if it has the same origin as the service.
 *
 * Over TLS and on the same machine, browsers say so themselves (`Sec-Fetch-Site`). Otherwise the host of the page must be the one
 * that is asked for, so a proxy has to forward it, with its port. No page can set these headers for another origin: browsers
 * refuse to, or a CORS preflight does.
 */
function ownOriginScheme(headers: IncomingHttpHeaders): Scheme | undefined {
  const [, scheme, host] = /^(https?):\/\/([^/]+)$/.exec(headers.origin ?? '') ?? [];
  if (host === undefined) return undefined;
  const site = headers['sec-fetch-site'];
  const isOwn = site === undefined ? hostsOf(headers).includes(host) : site === 'same-origin';
  return isOwn ? (scheme as Scheme) : undefined;
}

/** Whether a page makes the request, of another origin than the service's as far as the headers tell. */
export const hasForeignOrigin = (headers: IncomingHttpHeaders): boolean =>
  headers.origin !== undefined && ownOriginScheme(headers) === undefined;

/** The hosts that a request was sent to: by its last hop, and by those before, which each proxy may append. */
function hostsOf(headers: IncomingHttpHeaders): readonly string[] {
  const forwarded = [headers['x-forwarded-host'] ?? ''].flat().flatMap((hosts) => hosts.split(','));
  return [headers.host ?? '', ...forwarded.map((host) => host.trim())];
}

/**
 * Whether the request says that it came over HTTPS: in a header of the proxy, or as a page of the service. Believing every client
 * is safe, because the answer only takes a cookie away.
 */
function isOverHttps(headers: IncomingHttpHeaders): boolean {
  const forwarded = [headers['x-forwarded-proto'], headers['x-forwarded-scheme']].flat().join(',');
  return (
    /(^|,)\s*https\s*(,|$)/i.test(forwarded) ||
    /(^|[;,])\s*proto="?https\b/i.test(headers.forwarded ?? '') ||
    ['on', '1'].includes(String(headers['x-forwarded-ssl'] ?? '').toLowerCase()) ||
    ownOriginScheme(headers) === 'https'
  );
}

/** The session token as a cookie that scripts cannot read, for pages of the service itself. */
export class SessionCookieWriter {
  constructor(
    private readonly cookies: SessionCookies,
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
    return this.set(this.cookies.read(this.headers)?.scheme, session);
  }

  /** Removes the cookie if the request has one. */
  clear(): void {
    const cookie = this.cookies.read(this.headers);
    if (cookie) this.cookies.write(this.response, cookie.scheme, '');
  }

  private set(scheme: Scheme | undefined, { token }: NewSession): string | undefined {
    if (scheme === undefined) return token;
    this.cookies.write(this.response, scheme, token);
    return undefined;
  }
}

interface Exchange {
  readonly headers: IncomingHttpHeaders;
  readonly response: ServerResponse;
}

const CurrentExchange = createParamDecorator((_: unknown, context: ExecutionContext): Exchange => {
  const http = context.switchToHttp();
  const { headers } = rawRequestOf(http.getRequest<PlatformRequest>());
  return { headers, response: rawResponseOf(http.getResponse<PlatformResponse>()) };
});

@Injectable()
class SessionCookiePipe implements PipeTransform<Exchange, SessionCookieWriter> {
  constructor(private readonly cookies: SessionCookies) {}

  transform({ headers, response }: Exchange): SessionCookieWriter {
    return new SessionCookieWriter(this.cookies, headers, response);
  }
}

/** The session cookie of the request, as a `SessionCookieWriter`. */
export const CurrentSessionCookie = (): ParameterDecorator => CurrentExchange(SessionCookiePipe);

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
