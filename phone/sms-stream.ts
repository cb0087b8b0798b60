import type { ClientRequest, IncomingMessage } from 'node:http';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { Backoff } from './backoff';
import { Timers } from './timers';
import { readSmsCommand, readSmsIds, type SmsCommand } from './wire';

/** No command comes near this; a peer that never ends a line must not fill the memory. */
const MAX_EVENT_LENGTH = 1_048_576;

/** Answers no patience mends: the key is wrong, or the device is gone. */
const PERMANENT_STATUSES: ReadonlySet<number> = new Set([400, 401, 403, 404]);

export interface SmsStreamListener {
  opened(): void;
  /** The connection ended; the stream comes back by itself unless it was dropped or stopped. */
  closed(reason: string): void;
  /** The service does not want this phone. The stream goes on asking, at its max pace. */
  refused(status: number): void;
  command(command: SmsCommand): void;
  /** The service wants these messages not to be sent. */
  cancel(smsIds: readonly string[]): void;
  heartbeatCheck(): void;
  /** An event came that is no command. It is passed over. */
  malformed(data: string): void;
}

export interface SmsStreamOptions {
  /** A connection on which nothing came for so long, not even a comment, is dead. Default 45 s: three comments missed. */
  readonly idleTimeoutMs?: number;
  readonly initialBackoffMs?: number;
  readonly maxBackoffMs?: number;
  readonly random?: () => number;
}

/** Holds the phone's stream of Server-Sent Events: opens it, notices when it is dead, and opens it again. */
export class SmsStream {
  private readonly timers = new Timers();
  private readonly backoff: Backoff;
  private readonly idleTimeoutMs: number;
  private request: ClientRequest | undefined;
  private opened = false;

  constructor(
    private readonly connect: () => ClientRequest,
    private readonly listener: SmsStreamListener,
    options: SmsStreamOptions = {},
  ) {
    this.idleTimeoutMs = options.idleTimeoutMs ?? 45_000;
    this.backoff = new Backoff(
      options.initialBackoffMs ?? 500,
      options.maxBackoffMs ?? 30_000,
      options.random,
    );
  }

  get isOpen(): boolean {
    return this.opened;
  }

  /** Connects now; does nothing while a connection is there or being made. */
  open(): void {
    if (this.request !== undefined) return;
    this.timers.clear();
    const request = this.connect();
    this.request = request;
    const watch = this.timers.after(this.idleTimeoutMs, () => {
      this.end(request, `nothing came for ${this.idleTimeoutMs} ms`);
    });
    request.on('error', (error) => {
      this.end(request, error.message);
    });
    request.once('response', (response: IncomingMessage) => {
      this.read(request, response, watch);
    });
    request.end();
  }

  /** Breaks the connection and stays away until `open` is called. */
  drop(): void {
    this.timers.clear();
    const { request } = this;
    if (request === undefined) return;
    this.forget(request);
    this.listener.closed('dropped by the phone');
  }

  private read(request: ClientRequest, response: IncomingMessage, watch: NodeJS.Timeout): void {
    const status = response.statusCode ?? 0;
    if (status !== 200) {
      if (PERMANENT_STATUSES.has(status)) this.listener.refused(status);
      this.end(request, `the service answered ${status}`, PERMANENT_STATUSES.has(status));
      return;
    }
    const parser = createParser({
      onEvent: (event) => {
        this.handle(event);
      },
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') this.end(request, 'an event without end');
      },
      maxBufferSize: MAX_EVENT_LENGTH,
    });
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      if (this.request !== request) return;
      // Only bytes prove that the far end is alive and serving: a 200 alone may come from a proxy.
      watch.refresh();
      this.backoff.reset();
      parser.feed(chunk);
    });
    response.once('end', () => {
      this.end(request, 'ended by the service');
    });
    response.on('error', (error) => {
      this.end(request, error.message);
    });
    this.opened = true;
    this.listener.opened();
  }

  private handle(event: EventSourceMessage): void {
    // A listener may drop the stream while a chunk of many events is being read.
    if (!this.opened) return;
    if (event.event === 'heartbeat_check') {
      this.listener.heartbeatCheck();
      return;
    }
    if (event.event === 'cancel') {
      this.listener.cancel(readSmsIds(parseOrUndefined(event.data)));
      return;
    }
    if (event.event !== 'sms') return;
    const command = readSmsCommand(parseOrUndefined(event.data));
    if (command === undefined) this.listener.malformed(event.data);
    else this.listener.command(command);
  }

  private end(request: ClientRequest, reason: string, isPermanent = false): void {
    if (this.request !== request) return;
    this.timers.clear();
    this.forget(request);
    this.listener.closed(reason);
    const wait = isPermanent ? this.backoff.max() : this.backoff.next();
    this.timers.after(wait, () => {
      this.open();
    });
  }

  private forget(request: ClientRequest): void {
    this.request = undefined;
    this.opened = false;
    request.destroy();
  }
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
