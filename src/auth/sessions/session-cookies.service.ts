import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { assertJson, ownOriginScheme, serializeCookie, sessionCookieOf } from './session-cookie';
import type { OpenedSession } from './sessions.service';
import { SESSION_LIFETIME_MS } from './sessions.service';

/** Gives a browser the token of its session, where no script can read it. */
@Injectable()
export class SessionCookies {
  constructor(private readonly host: HttpAdapterHost) {}

  /**
   * Sets the cookie if the caller is a page of the service.
   * @returns the token for every other caller, who sends it as `authorization: Bearer`.
   * @throws CsrfCheckFailed for a page that sends something else than JSON.
   */
  give({ token }: OpenedSession, headers: IncomingHttpHeaders, response: unknown): string | undefined {
    const scheme = ownOriginScheme(headers);
    if (scheme === undefined) return token;
    this.setCookie(response, serializeCookie({ scheme, token }, SESSION_LIFETIME_MS / 1_000));
    return undefined;
  }

  /** To be asked before a session is opened. @throws CsrfCheckFailed */
  assertAllowed(headers: IncomingHttpHeaders): void {
    if (ownOriginScheme(headers) !== undefined) assertJson(headers);
  }

  /** Replaces the cookie, if that is what the request came with. @returns the token otherwise. */
  replace({ token }: OpenedSession, headers: IncomingHttpHeaders, response: unknown): string | undefined {
    const cookie = sessionCookieOf(headers);
    if (!cookie) return token;
    this.setCookie(response, serializeCookie({ ...cookie, token }, SESSION_LIFETIME_MS / 1_000));
    return undefined;
  }

  /** Removes the cookie, if that is what the request came with. */
  clear(headers: IncomingHttpHeaders, response: unknown): void {
    const cookie = sessionCookieOf(headers);
    if (cookie) this.setCookie(response, serializeCookie({ ...cookie, token: '' }, 0));
  }

  private setCookie(response: unknown, cookie: string): void {
    this.host.httpAdapter.setHeader(response, 'Set-Cookie', cookie);
  }
}
