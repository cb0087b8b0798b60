import { createSecureContext, rootCertificates } from 'node:tls';
import { Inject, Injectable, OnApplicationShutdown } from '@nestjs/common';
import { request } from 'undici';
import { AddressPolicy } from './address-policy';
import { readBodyPrefix } from './response-body';
import { ConnectionPool } from './connection-pool';
import { requestErrorText } from './request-error-text';
import { AddressNotAllowed, resolveAllowedAddresses, GuardedConnector } from './guarded-connector';
import { DnsLookup } from './dns-lookup';
import { isLocalhost, parseTargetUrl } from './target-url';

/** From the DNS lookup to the last byte of the response. */
const REQUEST_TIMEOUT_MS = 15_000;

const URL_CHECK_TIMEOUT_MS = 3_000;

export const OUTBOUND_OPTIONS = Symbol('OUTBOUND_OPTIONS');

export interface OutboundOptions {
  /** PEM certificate authorities, trusted in addition to Node's own. */
  readonly extraCa?: readonly string[];
}

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
    @Inject(OUTBOUND_OPTIONS) { extraCa }: OutboundOptions,
  ) {
    const trusted = extraCa && createSecureContext({ ca: [...rootCertificates, ...extraCa] });
    this.connections = new ConnectionPool(new GuardedConnector(policy, dns, trusted));
  }

  /**
   * Posts a body. Does not follow redirects, and never throws.
   * @returns within 15 s; the response counts once it is complete or 64 KiB of it are read.
   */
  async post(url: string, headers: Readonly<Record<string, string>>, body: Buffer): Promise<OutboundResult> {
    const target = parseTargetUrl(url);
    if ('refusal' in target) return { kind: 'refused', reason: target.refusal };
    const connection = this.connections.acquire(target.url.origin);
    const state = { isTimedOut: false };
    // Destroying the connection also aborts a DNS lookup and a handshake. With an AbortSignal on the request, undici
    // reconnects when the request was aborted before it was connected.
    const deadline = setTimeout(() => {
      state.isTimedOut = true;
      this.connections.destroy(connection);
    }, REQUEST_TIMEOUT_MS);
    try {
      const dispatcher = connection.client;
      const response = await request(target.url, { method: 'POST', headers, body, dispatcher });
      const { text, isTruncated } = await readBodyPrefix(response.body);
      if (isTruncated) this.connections.destroy(connection);
      else this.connections.release(connection);
      const [retryAfter] = [response.headers['retry-after']].flat();
      return { kind: 'answered', status: response.statusCode, retryAfter, body: text };
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

  onApplicationShutdown(): void {
    this.connections.close();
  }
}
