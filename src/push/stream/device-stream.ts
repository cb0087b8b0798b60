import type { ServerResponse } from 'node:http';
import type { AuthenticatedAccount } from '../../auth/account-scope';
import type { Types } from 'mongoose';
import type { PushCommand } from '../push-transport';

/** A phone with more unread data than this is disconnected; it gets the rest after it reconnects. */
const MAX_BUFFERED_BYTES = 1024 * 1024;

/** The open stream of a phone: Server-Sent Events on the response to its request. */
export class DeviceStream {
  constructor(
    readonly account: AuthenticatedAccount,
    readonly deviceId: Types.ObjectId,
    private readonly response: ServerResponse,
  ) {
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no', // disables buffering in nginx
    });
    response.flushHeaders();
    this.comment('connected');
  }

  get isOpen(): boolean {
    return !this.response.writableEnded && !this.response.destroyed;
  }

  /** Data that was sent and that the phone has not read, without what the operating system buffers. */
  get bufferedBytes(): number {
    return this.response.writableLength;
  }

  /** Waits until the phone has read what was sent, or the stream is closed. */
  async drained(): Promise<void> {
    if (!this.isOpen || !this.response.writableNeedDrain) return;
    await new Promise<void>((resolve) => {
      const settle = () => {
        this.response.off('drain', settle).off('close', settle);
        resolve();
      };
      this.response.on('drain', settle).on('close', settle);
    });
  }

  send(command: PushCommand): void {
    switch (command.kind) {
      case 'sms':
        this.write(`id: ${command.id}\nevent: sms\ndata: ${JSON.stringify(command.payload)}\n\n`);
        return;
      case 'cancel':
        this.write(`event: cancel\ndata: ${JSON.stringify({ smsIds: command.smsIds })}\n\n`);
        return;
      case 'heartbeat_check':
        this.write('event: heartbeat_check\ndata: {}\n\n');
    }
  }

  /** Sends an SSE comment: keeps proxies from closing the connection, and lets phones detect a lost one. */
  comment(text: string): void {
    this.write(`: ${text}\n\n`);
  }

  /** Calls the listener when the stream is closed, or now if it was closed before. */
  onClose(listener: () => void): void {
    if (this.isOpen) this.response.once('close', listener);
    else listener();
  }

  close(): void {
    if (!this.isOpen) return;
    // A response ends only after the phone has read it.
    if (this.bufferedBytes > 0) this.response.destroy();
    else this.response.end();
  }

  private write(text: string): void {
    if (!this.isOpen) return;
    this.response.write(text);
    if (this.bufferedBytes > MAX_BUFFERED_BYTES) this.response.destroy();
  }
}
