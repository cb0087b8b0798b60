import { createSecureContext, rootCertificates } from 'node:tls';
import { Inject, Injectable, OnApplicationShutdown } from '@nestjs/common';
import { Agent, request } from 'undici';
import { AddressPolicy } from './address-policy';
import { readStart } from './answer-start';
import { failureReason } from './failure-reason';
import { AddressRefused, allowedAddresses, GuardedConnector } from './guarded-connector';
import { NameLookup } from './name-lookup';
import { isLocalhost, parseTarget } from './target-url';

/** How long a request may take, from the lookup of the name to the last byte of the answer. */
const DEADLINE_MS = 15_000;

/** How long the lookup of a name may take while somebody waits to save a webhook. */
const CHECK_LIMIT_MS = 3_000;

/** Shorter than servers commonly keep an idle connection, so that no request goes out on one that is being closed. */
const IDLE_LIMIT_MS = 2_000;

/**
 * Connections to one origin. High, because behind one that many accounts use (an automation service) a request that
 * waits for a connection loses time of its own deadline.
 */
const MOST_CONNECTIONS_PER_ORIGIN = 256;

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
  private readonly connector: GuardedConnector;
  private readonly agent: Agent;
  private readonly underWay = new Set<(result: OutboundResult) => void>();

  constructor(
    private readonly policy: AddressPolicy,
    private readonly names: NameLookup,
    @Inject(OUTBOUND_OPTIONS) { extraCa }: OutboundOptions,
  ) {
    this.connector = new GuardedConnector(policy, names, {
      limitMs: DEADLINE_MS,
      secureContext: extraCa && createSecureContext({ ca: [...rootCertificates, ...extraCa] }),
    });
    this.agent = new Agent({
      connect: this.connector.connect,
      connections: MOST_CONNECTIONS_PER_ORIGIN,
      keepAliveTimeout: IDLE_LIMIT_MS,
      // What a server offers in its Keep-Alive header does not prolong it.
      keepAliveMaxTimeout: IDLE_LIMIT_MS,
      // The deadline covers both.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /**
   * Posts a body as it is. Redirects are not followed. Never throws.
   * @returns within 15 s. An answer counts when it is complete, or once 64 KiB of it were read.
   */
  async post(url: string, headers: Readonly<Record<string, string>>, body: Buffer): Promise<OutboundResult> {
    const target = parseTarget(url);
    if ('refusal' in target) return { kind: 'refused', reason: target.refusal };
    return this.withinDeadline((signal) => this.exchange(target.url, headers, body, signal));
  }

  /**
   * Whether a webhook may be saved with this URL. What its name stands for is judged again with each request.
   * @returns why it can't be used; undefined when it can, or when its name does not resolve within 3 s.
   */
  async check(url: string): Promise<string | undefined> {
    const target = parseTarget(url);
    if ('refusal' in target) return target.refusal;
    if (isLocalhost(target.url) && this.policy.refusal('127.0.0.1') && this.policy.refusal('::1'))
      return `${target.url.hostname} is this machine itself`;
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<undefined>((resolve) => {
      timer = setTimeout(resolve, CHECK_LIMIT_MS, undefined);
    });
    try {
      await Promise.race([allowedAddresses(target.url.hostname, this.policy, this.names), limit]);
      return undefined;
    } catch (failure) {
      return failure instanceof AddressRefused ? failure.message : undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    for (const end of this.underWay) end({ kind: 'failed', reason: 'the gateway was shutting down' });
    this.connector.close();
    await this.agent.destroy();
  }

  /** The signal alone would not do: undici heeds it only once a request is on its connection. */
  private async withinDeadline(
    exchange: (signal: AbortSignal) => Promise<OutboundResult>,
  ): Promise<OutboundResult> {
    const attempt = new AbortController();
    let end: (result: OutboundResult) => void = () => undefined;
    const ended = new Promise<OutboundResult>((resolve) => {
      end = (result) => {
        resolve(result);
        attempt.abort();
      };
    });
    this.underWay.add(end);
    const timer = setTimeout(end, DEADLINE_MS, { kind: 'timed_out' });
    try {
      return await Promise.race([exchange(attempt.signal), ended]);
    } finally {
      clearTimeout(timer);
      this.underWay.delete(end);
    }
  }

  private async exchange(
    url: URL,
    headers: Readonly<Record<string, string>>,
    body: Buffer,
    signal: AbortSignal,
  ): Promise<OutboundResult> {
    try {
      const answer = await request(url, { method: 'POST', headers, body, signal, dispatcher: this.agent });
      const [retryAfter] = [answer.headers['retry-after']].flat();
      return { kind: 'answered', status: answer.statusCode, retryAfter, body: await readStart(answer.body) };
    } catch (failure) {
      if (failure instanceof AddressRefused) return { kind: 'refused', reason: failure.message };
      return { kind: 'failed', reason: failureReason(failure) };
    }
  }
}
