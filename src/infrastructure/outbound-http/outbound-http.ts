import { Inject, Injectable, OnApplicationShutdown } from '@nestjs/common';
import { type Dispatcher, request } from 'undici';
import { AddressPolicy } from './address-policy';
import { readBodyPrefix } from './response-body';
import { type Connection, ConnectionPool } from './connection-pool';
import { requestErrorText } from './request-error-text';
import { AddressNotAllowed, resolveAllowedAddresses, GuardedConnector } from './guarded-connector';
import { DnsLookup } from './dns-lookup';
import type { OutboundOptions } from '../proxy/outbound-options';
import { isLocalhost, parseTargetUrl } from './target-url';

const DEFAULT_TIMEOUT_MS = 15_000;

const URL_CHECK_TIMEOUT_MS = 3_000;

/** Responses without content (RFC 9110): whatever follows their headers is ignored. */
const BODILESS_STATUSES = new Set([204, 205, 304]);

export const OUTBOUND_OPTIONS = Symbol('OUTBOUND_OPTIONS');

export type OutboundResult =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly retryAfter?: string;
      readonly body: string;
    }
  | { readonly kind: 'timed_out' }
  | { readonly kind: 'failed'; readonly reason: string }
  /** Nothing was sent, because the URL or its address is not allowed. */
  | { readonly kind: 'refused'; readonly reason: string };

/** Sends requests to URLs that users choose (SSRF protection: see `GuardedConnector`). */
@Injectable()
export class OutboundHttp implements OnApplicationShutdown {
  private readonly connections: ConnectionPool;

  constructor(
    private readonly policy: AddressPolicy,
    private readonly dns: DnsLookup,
    @Inject(OUTBOUND_OPTIONS) options: OutboundOptions,
  ) {
    this.connections = new ConnectionPool(new GuardedConnector(policy, dns, options));
  }

  /**
   * Posts a body. Does not follow redirects, and never throws.
   * @param timeoutMs from the DNS lookup to the last byte of the response.
   * @returns within the time limit; the response counts once it is complete or 64 KiB of it are read, and one without content
   * (204, 205, 304) once its headers are read.
   */
  async post(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: Buffer,
    timeoutMs = DEFAULT_TIMEOUT_MS,
  ): Promise<OutboundResult> {
    const target = parseTargetUrl(url);
    if ('refusal' in target) return { kind: 'refused', reason: target.refusal };
    const connection = this.connections.acquire(target.url.origin);
    const state = { isTimedOut: false };
    // Destroying the connection also aborts a DNS lookup and a handshake. With an AbortSignal on the request, undici
    // reconnects when the request was aborted before it was connected.
    const deadline = setTimeout(() => {
      state.isTimedOut = true;
      this.connections.destroy(connection);
    }, timeoutMs);
    try {
      const dispatcher = connection.client;
      const response = await request(target.url, { method: 'POST', headers, body, dispatcher });
      const status = response.statusCode;
      const [retryAfter] = [response.headers['retry-after']].flat();
      if (BODILESS_STATUSES.has(status)) {
        this.endWithoutBody(connection, response);
        return { kind: 'answered', status, retryAfter, body: '' };
      }
      const [encoding] = [response.headers['content-encoding']].flat();
      const { text, isTruncated } = await readBodyPrefix(response.body, encoding);
      if (isTruncated) this.connections.destroy(connection);
      else this.connections.release(connection);
      return { kind: 'answered', status, retryAfter, body: text };
    } catch (error) {
      this.connections.destroy(connection);
      if (error instanceof AddressNotAllowed) return { kind: 'refused', reason: error.message };
      return state.isTimedOut ? { kind: 'timed_out' } : { kind: 'failed', reason: requestErrorText(error) };
    } finally {
      clearTimeout(deadline);
    }
  }

  /**
   * Checks whether a webhook may be saved with this URL. Each request checks the address again.
   * @returns the reason if it may not; undefined if it may, or if its host name does not resolve within 3 s.
   */
  async checkUrl(url: string): Promise<string | undefined> {
    const target = parseTargetUrl(url);
    if ('refusal' in target) return target.refusal;
    if (isLocalhost(target.url) && !this.policy.allows('127.0.0.1') && !this.policy.allows('::1'))
      return new AddressNotAllowed().message;
    try {
      const signal = AbortSignal.timeout(URL_CHECK_TIMEOUT_MS);
      await resolveAllowedAddresses(target.url.hostname, this.policy, this.dns, signal);
      return undefined;
    } catch (error) {
      return error instanceof AddressNotAllowed ? error.message : undefined;
    }
  }

  /** Keeps the connection only if no body is announced: what follows would be read as the next response. */
  private endWithoutBody(
    connection: Connection,
    { statusCode, headers, body }: Dispatcher.ResponseData,
  ): void {
    // undici reports a body that was announced as missing, although there is none by definition.
    body.on('error', () => undefined);
    const hasFraming = 'content-length' in headers || 'transfer-encoding' in headers;
    if (statusCode === 204 && !hasFraming) this.connections.release(connection);
    else this.connections.destroy(connection);
  }

  onApplicationShutdown(): void {
    this.connections.close();
  }
}
