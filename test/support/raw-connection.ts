import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from './eventually';

/** A TCP client that writes raw bytes. */
export class RawConnection {
  text = '';
  isClosed = false;
  private readonly socket: net.Socket;

  /** @param localAddress the address of the client. */
  constructor(url: string, localAddress?: string) {
    const { hostname, port } = new URL(url);
    this.socket = net.connect({ port: Number(port), host: hostname, localAddress });
    this.socket.on('data', (data) => (this.text += data.toString()));
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => (this.isClosed = true));
  }

  get statuses(): string[] {
    return [...this.text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status = '']) => status);
  }

  async waitUntilConnected(): Promise<void> {
    if (this.socket.connecting) await once(this.socket, 'connect');
  }

  write(text: string): void {
    if (!this.isClosed) this.socket.write(text);
  }

  /** Repeats a text until the connection is closed. */
  async writeSlowly(text: string): Promise<void> {
    while (!this.isClosed) {
      this.write(text);
      await sleep(40);
    }
  }

  /** Waits until the server closes the connection. @throws Error after ten seconds, less than the limits of the service take. */
  async waitUntilClosed(): Promise<void> {
    await eventually(
      () => this.isClosed,
      (isClosed) => isClosed,
      10_000,
    );
  }

  close(): void {
    this.socket.destroy();
  }
}
