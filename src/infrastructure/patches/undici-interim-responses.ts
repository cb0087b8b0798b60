import type { Socket } from 'node:net';

const NOTHING: Buffer = Buffer.alloc(0);
const STATUS_LINE = 'HTTP/1.';
const STATUS_LINE_LENGTH = 'HTTP/1.1 100'.length;
/** 101 changes the protocol; it is no interim response. */
const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d/;
const [LINE_FEED, CARRIAGE_RETURN] = Buffer.from('\n\r');

/**
 * Patches undici (7.30): it closes the connection on `100 Continue`, which servers may send unasked (RFC 9110, 15.2).
 * Removes interim responses from what a socket reads.
 */
export class InterimResponseFilter {
  private state: 'status line' | 'interim response' | 'final response' = 'status line';
  /** The begin of a status line. */
  private held = NOTHING;
  private isLineEmpty = false;

  /** Filters what the socket reads from now on. */
  attach(socket: Socket): void {
    this.expectResponse();
    const push = socket.push.bind(socket);
    socket.push = (chunk: Buffer | null) => {
      const kept = chunk === null ? this.held : this.filter(chunk);
      const wantsMore = kept.length === 0 || push(kept);
      return chunk === null ? push(null) : wantsMore;
    };
  }

  /** Call it before each further request on the connection. */
  expectResponse(): void {
    this.state = 'status line';
    this.held = NOTHING;
  }

  /** @returns the chunk, or what is left of it and of earlier ones. */
  filter(chunk: Buffer): Buffer {
    let rest = chunk;
    for (;;) {
      if (this.state === 'final response') return rest;
      if (this.state === 'interim response') {
        const end = this.endOfHeaders(rest);
        if (end === undefined) return NOTHING;
        rest = rest.subarray(end);
        this.state = 'status line';
      }
      rest = Buffer.concat([this.held, rest]);
      const start = rest.toString('latin1', 0, STATUS_LINE_LENGTH);
      const isIncomplete = start.length < STATUS_LINE_LENGTH;
      if (isIncomplete && STATUS_LINE.startsWith(start.slice(0, STATUS_LINE.length))) {
        this.held = rest;
        return NOTHING;
      }
      this.held = NOTHING;
      this.isLineEmpty = false;
      this.state = INTERIM.test(start) ? 'interim response' : 'final response';
    }
  }

  /** @returns the index after the empty line; undefined when it is still to come. */
  private endOfHeaders(bytes: Buffer): number | undefined {
    for (const [index, byte] of bytes.entries()) {
      if (byte === LINE_FEED && this.isLineEmpty) return index + 1;
      if (byte !== CARRIAGE_RETURN) this.isLineEmpty = byte === LINE_FEED;
    }
    return undefined;
  }
}
