import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { assertJson, ownOriginScheme, serializeCookie, sessionCookieOf } from './session-cookie';
import type { NewSession } from './sessions.service';
import { SESSION_LIFETIME_MS } from './sessions.service';

/** Sets the session token as a cookie that scripts cannot read, for pages of the service itself. */
@Injectable()
export class SessionCookiesService {
  constructor(private readonly host: HttpAdapterHost) {}

  /**
   * Sets the cookie if the caller is a page of the service.
   * @returns the token for every other caller, who sends it as `authorization: Bearer`.
   */
  issue({ token }: NewSession, headers: IncomingHttpHeaders, response: unknown): string | undefined {
    const scheme = ownOriginScheme(headers);
    if (scheme === undefined) return token;
    this.setCookie(response, serializeCookie({ scheme, token }, SESSION_LIFETIME_MS / 1_000));
    return undefined;
  }

  /** Call it before a session is created. @throws CsrfCheckFailed for a page of the service that does not send JSON. */
  assertMayIssue(headers: IncomingHttpHeaders): void {
    if (ownOriginScheme(headers) !== undefined) assertJson(headers);
  }

  /** Replaces the cookie if the request has one. @returns the token otherwise. */
  replace({ token }: NewSession, headers: IncomingHttpHeaders, response: unknown): string | undefined {
    const cookie = sessionCookieOf(headers);
    if (!cookie) return token;
    this.setCookie(response, serializeCookie({ ...cookie, token }, SESSION_LIFETIME_MS / 1_000));
    return undefined;
  }

  clear(headers: IncomingHttpHeaders, response: unknown): void {
    const cookie = sessionCookieOf(headers);
    if (cookie) this.setCookie(response, serializeCookie({ ...cookie, token: '' }, 0));
  }

  private setCookie(response: unknown, cookie: string): void {
    this.host.httpAdapter.setHeader(response, 'Set-Cookie', cookie);
  }
}
