import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from './eventually';

/** A client that speaks to the service byte by byte. */
export class RawConnection {
  text = '';
  isClosed = false;
  private readonly socket: net.Socket;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.socket = net.connect(Number(port), hostname);
    this.socket.on('data', (data) => (this.text += data.toString()));
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => (this.isClosed = true));
  }

  get statuses(): string[] {
    return [...this.text.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status = '']) => status);
  }

  say(text: string): void {
    if (!this.isClosed) this.socket.write(text);
  }

  /** Goes on saying something for as long as the service listens. */
  async dribble(text: string): Promise<void> {
    while (!this.isClosed) {
      this.say(text);
      await sleep(40);
    }
  }

  /** @returns how long it took the service to close it. */
  async closed(limitMs = 5_000): Promise<number> {
    const begun = Date.now();
    await eventually(
      () => this.isClosed,
      (isClosed) => isClosed,
      limitMs,
    );
    return Date.now() - begun;
  }

  close(): void {
    this.socket.destroy();
  }
}
