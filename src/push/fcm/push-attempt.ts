import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClientRequest } from 'node:http';
import { Agent } from 'node:https';
import { TLSSocket } from 'node:tls';
import type { PushResult } from '../push-transport';

declare module 'http' {
  interface Agent {
    /** How Node hands each request to its agent; not in its types. */
    addRequest(request: ClientRequest, options: object): void;
  }
}

/** How long a request may take to leave: signed in, its turn come, connected. */
const CONNECT_LIMIT_MS = 30_000;

/** How long FCM may take to answer. */
const ANSWER_LIMIT_MS = 12_000;

/** What became of a push, and in whose words where it failed. */
export interface AttemptEnd {
  readonly result: PushResult;
  readonly reason?: string;
}

/** The attempt on whose behalf the SDK is making a request. */
export const attemptUnderWay = new AsyncLocalStorage<PushAttempt>();

/**
 * One push, watched from below the SDK, which tells neither whether a failed request had left nor repeats only
 * what is safe to repeat: it sends again after a time-out or a lost connection, when FCM may have the message
 * already, and a repeated push is a repeated SMS.
 */
export class PushAttempt {
  /** How the push ended, where FCM gave no answer that the SDK passes on as it came. */
  readonly failed: Promise<AttemptEnd>;

  private reportFailed: (end: AttemptEnd) => void = () => undefined;
  private request?: ClientRequest;
  private timer?: NodeJS.Timeout;
  private left = false;
  private over = false;

  constructor() {
    this.failed = new Promise((resolve) => {
      this.reportFailed = resolve;
    });
    this.limit(CONNECT_LIMIT_MS);
  }

  /** Whether the request may have reached FCM. */
  get mayBeTaken(): boolean {
    return this.left;
  }

  /** @returns false for the SDK's repetitions: when to repeat is the dispatch's to decide. */
  admits(request: ClientRequest): boolean {
    if (this.request || this.over) return false;
    this.request = request;
    request.once('socket', (socket) => {
      // A connection that stands takes the request at once; a new one says when it does, its handshake included.
      if (socket.connecting) {
        socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', () => {
          this.leave();
        });
      } else {
        this.leave();
      }
    });
    request.once('error', ({ message }) => {
      this.fail(message);
    });
    request.once('response', (response) => {
      // The SDK would wait and repeat.
      if (response.statusCode === 503)
        this.reportFailed({ result: { outcome: 'unavailable' }, reason: 'answered with 503' });
      // Of an answer that breaks off the SDK never tells.
      response.once('close', () => {
        if (!response.complete) this.fail('the answer broke off');
      });
    });
    return true;
  }

  /** To be called once the result is known; nothing leaves after it. */
  end(): void {
    this.over = true;
    clearTimeout(this.timer);
  }

  private leave(): void {
    this.left = true;
    this.limit(ANSWER_LIMIT_MS);
  }

  private limit(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.fail(`${this.left ? 'no answer' : 'no connection'} within ${ms / 1_000} s`);
      this.request?.destroy();
    }, ms);
  }

  private fail(reason: string): void {
    this.over = true;
    this.reportFailed({ result: { outcome: this.left ? 'doubt' : 'unavailable' }, reason });
  }
}

/** Requests in flight to FCM at one time; more wait for a connection. */
const MOST_CONNECTIONS = 100;

/** Shorter than Google keeps an idle connection, so that no push goes out on one that is being closed. */
const IDLE_LIMIT_MS = 20_000;

/** The way to FCM: lets one request out for each attempt. */
export class FcmAgent extends Agent {
  constructor() {
    super({ keepAlive: true, maxSockets: MOST_CONNECTIONS, timeout: IDLE_LIMIT_MS });
  }

  override addRequest(request: ClientRequest, options: object): void {
    const attempt = attemptUnderWay.getStore();
    if (!attempt || attempt.admits(request)) {
      super.addRequest(request, options);
      return;
    }
    process.nextTick(() => request.emit('error', new Error('A push is not repeated by the SDK')));
  }
}
