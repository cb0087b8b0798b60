import type { ClientRequest, IncomingMessage } from 'node:http';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { Backoff } from './backoff';
import { Timers } from './timers';
import { parseOrUndefined, readPushedCommand, readSmsIds, type SmsCommand } from './wire';

/** Limits the memory for a line that never ends. */
const MAX_EVENT_LENGTH = 1_048_576;

/** A wrong key or a removed device. */
const PERMANENT_STATUSES: ReadonlySet<number> = new Set([400, 401, 403, 404]);

export interface SmsStreamListener {
  opened(): void;
  /** The stream reconnects unless it was dropped. */
  closed(reason: string): void;
  /** The stream retries with the longest delay. */
  refused(status: number): void;
  command(command: SmsCommand): void;
  cancel(smsIds: readonly string[]): void;
  heartbeatCheck(): void;
  /** An invalid event is ignored. */
  malformed(data: string): void;
}

export interface SmsStreamOptions {
  /** Default 45 s: three missed keep-alive comments. */
  readonly idleTimeoutMs?: number;
  readonly initialBackoffMs?: number;
  readonly maxBackoffMs?: number;
  readonly random?: () => number;
}

/** A stream of Server-Sent Events that reconnects when it breaks or becomes unresponsive. */
export class SmsStream {
  private readonly timers = new Timers();
  private readonly backoff: Backoff;
  private readonly idleTimeoutMs: number;
  private request: ClientRequest | undefined;
  private response: IncomingMessage | undefined;
  private watch: NodeJS.Timeout | undefined;
  private opened = false;
  private wanted = false;
  private paused = false;

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

  /** Does nothing while connecting or connected. */
  open(): void {
    this.wanted = true;
    if (this.request !== undefined || this.paused) return;
    this.timers.clear();
    const request = this.connect();
    this.request = request;
    this.watchIdle(request);
    request.on('error', (error) => {
      this.end(request, error.message);
    });
    request.once('response', (response: IncomingMessage) => {
      this.read(request, response);
    });
    request.end();
  }

  /** Disconnects until `open` is called. */
  drop(): void {
    this.wanted = false;
    this.timers.clear();
    const { request } = this;
    if (request === undefined) return;
    this.forget(request);
    this.listener.closed('dropped by the phone');
  }

  /** Reads nothing until `resume`, like a frozen process. The connection stays open. */
  pause(): void {
    this.paused = true;
    this.timers.clear();
    this.response?.pause();
  }

  resume(): void {
    if (!this.paused) return;
    this.paused = false;
    if (this.request !== undefined) this.watchIdle(this.request);
    else if (this.wanted) this.open();
    this.response?.resume();
  }

  private watchIdle(request: ClientRequest): void {
    this.watch = this.timers.after(this.idleTimeoutMs, () => {
      this.end(request, `no data for ${this.idleTimeoutMs} ms`);
    });
  }

  private read(request: ClientRequest, response: IncomingMessage): void {
    const status = response.statusCode ?? 0;
    if (status !== 200) {
      if (PERMANENT_STATUSES.has(status)) this.listener.refused(status);
      this.end(request, `the service responded with ${status}`, PERMANENT_STATUSES.has(status));
      return;
    }
    const parser = createParser({
      onEvent: (event) => {
        this.handle(event);
      },
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') this.end(request, 'event too long');
      },
      maxBufferSize: MAX_EVENT_LENGTH,
    });
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      if (this.request !== request) return;
      // A proxy can send the status, only the service sends data.
      this.watch?.refresh();
      this.backoff.reset();
      parser.feed(chunk);
    });
    response.once('end', () => {
      this.end(request, 'closed by the service');
    });
    response.on('error', (error) => {
      this.end(request, error.message);
    });
    this.response = response;
    if (this.paused) response.pause();
    this.opened = true;
    this.listener.opened();
  }

  private handle(event: EventSourceMessage): void {
    // A listener may drop the stream while a chunk is processed.
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
    const command = readPushedCommand(event.data);
    if (command === undefined) this.listener.malformed(event.data);
    else this.listener.command(command);
  }

  private end(request: ClientRequest, reason: string, isPermanent = false): void {
    if (this.request !== request) return;
    this.timers.clear();
    this.forget(request);
    this.listener.closed(reason);
    if (this.paused) return;
    const wait = isPermanent ? this.backoff.max() : this.backoff.next();
    this.timers.after(wait, () => {
      this.open();
    });
  }

  private forget(request: ClientRequest): void {
    this.request = undefined;
    this.response = undefined;
    this.opened = false;
    request.destroy();
  }
}
