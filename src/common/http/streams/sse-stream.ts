import type { ServerResponse } from 'node:http';
import { releaseSentHeaders } from '../sent-headers';

/** An open response with Server-Sent Events. A client with more unread data than the bound is disconnected. */
export class SseStream {
  private closeListeners: readonly (() => void)[] = [];

  constructor(
    private readonly response: ServerResponse,
    private readonly maxBufferedBytes: number,
  ) {
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no', // disables buffering in nginx
    });
    response.flushHeaders();
    releaseSentHeaders(response);
    response.once('close', () => {
      for (const listener of this.closeListeners) listener();
    });
    this.comment('connected');
  }

  get isOpen(): boolean {
    return !this.response.writableEnded && !this.response.destroyed;
  }

  /** Data that was sent and that the client has not read, without what the operating system buffers. */
  get bufferedBytes(): number {
    return this.response.writableLength;
  }

  /** Whether the client has not read enough of what was sent. */
  get isCongested(): boolean {
    return this.isOpen && this.response.writableNeedDrain;
  }

  /** Waits until the client has read what was sent, or the stream is closed. */
  async drained(): Promise<void> {
    if (!this.isCongested) return;
    await new Promise<void>((resolve) => {
      const settle = () => {
        this.response.off('drain', settle).off('close', settle);
        resolve();
      };
      this.response.on('drain', settle).on('close', settle);
    });
  }

  /** @param data is sent as JSON. */
  sendEvent(event: string, data: object, id?: string): void {
    const idLine = id === undefined ? '' : `id: ${id}\n`;
    this.write(`${idLine}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  /** Sends an SSE comment: keeps proxies from closing the connection, and lets clients detect a lost one. */
  comment(text: string): void {
    this.write(`: ${text}\n\n`);
  }

  /** Calls the listener when the stream is closed, or now if it was closed before. */
  onClose(listener: () => void): void {
    if (this.isOpen) this.closeListeners = [...this.closeListeners, listener];
    else listener();
  }

  close(): void {
    if (!this.isOpen) return;
    // A response ends only after the client has read it.
    if (this.bufferedBytes > 0) this.response.destroy();
    else this.response.end();
  }

  private write(text: string): void {
    if (!this.isOpen) return;
    this.response.write(text);
    if (this.bufferedBytes > this.maxBufferedBytes) this.response.destroy();
  }
}
