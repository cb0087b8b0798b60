import type { ClientRequest } from 'node:http';
import { TLSSocket } from 'node:tls';
import type { RequestGate } from '../../infrastructure/patches/fcm-agent';
import type { PushResult } from '../transport/push-transport';

/** Includes the wait for an access token and for a free connection. */
const CONNECT_TIMEOUT_MS = 30_000;
const RESPONSE_TIMEOUT_MS = 12_000;

export interface AttemptResult {
  readonly result: PushResult;
  readonly reason?: string;
}

/**
 * Observes the HTTP request of one push. The SDK does not tell whether a failed request was sent, and it retries after
 * timeouts and lost connections, when FCM may already have the message and a retry could send the SMS twice.
 */
export class PushAttempt implements RequestGate {
  /** Resolves if the push failed in a way that the SDK does not report, or reports only after retries. */
  readonly failed: Promise<AttemptResult>;

  private reportFailed: (end: AttemptResult) => void = () => undefined;
  private request?: ClientRequest;
  private timer?: NodeJS.Timeout;
  private isSent = false;
  private hasEnded = false;

  constructor() {
    this.failed = new Promise((resolve) => {
      this.reportFailed = resolve;
    });
    this.startTimeout(CONNECT_TIMEOUT_MS);
  }

  /** Whether the request may have reached FCM. */
  get wasSent(): boolean {
    return this.isSent;
  }

  /** @returns false for retries by the SDK: only `DispatchOutcomes` retries. */
  accept(request: ClientRequest): boolean {
    if (this.request || this.hasEnded) return false;
    this.request = request;
    request.once('socket', (socket) => {
      // A new connection carries the request only after its handshake.
      if (socket.connecting) {
        socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', () => {
          this.markSent();
        });
      } else {
        this.markSent();
      }
    });
    request.once('error', ({ message }) => {
      this.fail(message);
    });
    request.once('response', (response) => {
      // The SDK would wait and retry.
      if (response.statusCode === 503)
        this.reportFailed({ result: { outcome: 'unavailable' }, reason: 'answered with 503' });
      // The SDK never settles a response that is cut off.
      response.once('close', () => {
        if (!response.complete) this.fail('the response was cut off');
      });
    });
    return true;
  }

  /** Must be called when the result is known; no request is sent afterwards. */
  end(): void {
    this.hasEnded = true;
    clearTimeout(this.timer);
  }

  private markSent(): void {
    this.isSent = true;
    this.startTimeout(RESPONSE_TIMEOUT_MS);
  }

  private startTimeout(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.fail(`${this.isSent ? 'no response' : 'no connection'} within ${ms / 1_000} s`);
      this.request?.destroy();
    }, ms);
  }

  private fail(reason: string): void {
    this.hasEnded = true;
    this.reportFailed({ result: { outcome: this.isSent ? 'doubt' : 'unavailable' }, reason });
  }
}
