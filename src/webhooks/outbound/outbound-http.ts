import { createSecureContext, rootCertificates } from 'node:tls';
import { Inject, Injectable, OnApplicationShutdown } from '@nestjs/common';
import { request } from 'undici';
import { AddressPolicy } from './address-policy';
import { readStart } from './answer-start';
import { Connections } from './connections';
import { failureReason } from './failure-reason';
import { AddressRefused, allowedAddresses, GuardedConnector } from './guarded-connector';
import { NameLookup } from './name-lookup';
import { isLocalhost, parseTarget } from './target-url';

/** How long a request may take, from the lookup of the name to the last byte of the answer. */
const DEADLINE_MS = 15_000;

/** How long the lookup of a name may take while somebody waits to save a webhook. */
const CHECK_LIMIT_MS = 3_000;

export const OUTBOUND_OPTIONS = Symbol('OUTBOUND_OPTIONS');

export interface OutboundOptions {
  /** Certificate authorities, PEM, that are trusted besides Node's own. */
  readonly extraCa?: readonly string[];
}

/** What became of a request. */
export type OutboundResult =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly retryAfter?: string;
      /** The first 1,000 characters. */
      readonly body: string;
    }
  | { readonly kind: 'timed_out' }
  /** No complete answer came; why, in a few words. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** Nothing was sent, and nothing will be while URL, name and policy stay as they are. */
  | { readonly kind: 'refused'; readonly reason: string };

/** The one way out to addresses that users choose. */
@Injectable()
export class OutboundHttp implements OnApplicationShutdown {
  private readonly connections: Connections;

  constructor(
    private readonly policy: AddressPolicy,
    private readonly names: NameLookup,
    @Inject(OUTBOUND_OPTIONS) { extraCa }: OutboundOptions,
  ) {
    const trusted = extraCa && createSecureContext({ ca: [...rootCertificates, ...extraCa] });
    this.connections = new Connections(new GuardedConnector(policy, names, trusted));
  }

  /**
   * Posts a body as it is. Redirects are not followed. Never throws.
   * @returns within 15 s. An answer counts when it is complete, or once 64 KiB of it were read.
   */
  async post(url: string, headers: Readonly<Record<string, string>>, body: Buffer): Promise<OutboundResult> {
    const target = parseTarget(url);
    if ('refusal' in target) return { kind: 'refused', reason: target.refusal };
    const connection = this.connections.take(target.url.origin);
    const attempt = { isLate: false };
    // What is under way ends with its connection, a lookup and a handshake included. An AbortSignal for the request
    // would not do: undici heeds it only once connected, and then connects anew for the aborted request.
    const deadline = setTimeout(() => {
      attempt.isLate = true;
      this.connections.drop(connection);
    }, DEADLINE_MS);
    try {
      const dispatcher = connection.client;
      const answer = await request(target.url, { method: 'POST', headers, body, dispatcher });
      const { text, isCutShort } = await readStart(answer.body);
      if (isCutShort) this.connections.drop(connection);
      else this.connections.giveBack(connection);
      const [retryAfter] = [answer.headers['retry-after']].flat();
      return { kind: 'answered', status: answer.statusCode, retryAfter, body: text };
    } catch (failure) {
      this.connections.drop(connection);
      if (failure instanceof AddressRefused) return { kind: 'refused', reason: failure.message };
      return attempt.isLate ? { kind: 'timed_out' } : { kind: 'failed', reason: failureReason(failure) };
    } finally {
      clearTimeout(deadline);
    }
  }

  /**
   * Whether a webhook may be saved with this URL. What its name stands for is judged again with each request.
   * @returns why it can't be used; undefined when it can, or when its name does not resolve within 3 s.
   */
  async check(url: string): Promise<string | undefined> {
    const target = parseTarget(url);
    if ('refusal' in target) return target.refusal;
    if (isLocalhost(target.url) && !this.policy.allows('127.0.0.1') && !this.policy.allows('::1'))
      return new AddressRefused().message;
    try {
      const limit = AbortSignal.timeout(CHECK_LIMIT_MS);
      await allowedAddresses(target.url.hostname, this.policy, this.names, limit);
      return undefined;
    } catch (failure) {
      return failure instanceof AddressRefused ? failure.message : undefined;
    }
  }

  /** Requests under way fail. */
  onApplicationShutdown(): void {
    this.connections.close();
  }
}
