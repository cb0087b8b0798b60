import { type AppTime, reconnectDelay } from './app-time';
import type { StreamEvent } from './event-reader';
import { EventStream } from './event-stream';

/** The streams of the app: each start of its service opens one more, and each is opened again whenever it ends. */
export class StreamSet {
  private readonly streams = new Set<EventStream>();
  /** How often a stream was opened successfully. */
  opened = 0;

  constructor(
    private readonly time: AppTime,
    private readonly stopped: AbortSignal,
    private readonly request: () => { readonly url: string; readonly token: string },
    private readonly handlers: {
      readonly onOpen: () => void;
      readonly onEvent: (event: StreamEvent) => void;
      readonly onEnd: (reason: string) => void;
    },
  ) {
    stopped.addEventListener('abort', () => {
      this.cut();
    });
  }

  get open(): number {
    return [...this.streams].filter(({ isOpen }) => isOpen).length;
  }

  /** The keep-alive comments of the open streams. */
  get comments(): number {
    return [...this.streams].reduce((sum, { comments }) => sum + comments, 0);
  }

  /** Opens one more stream, and keeps it open. */
  add(): void {
    void this.keepOpen();
  }

  /** Cuts all streams; they are opened again after the usual wait. */
  cut(): void {
    for (const stream of this.streams) stream.cut();
  }

  private async keepOpen(): Promise<void> {
    for (let attempt = 1; !this.stopped.aborted; attempt += 1) {
      if (await this.connect()) attempt = 0;
      if (!(await this.time.wait(reconnectDelay(Math.max(1, attempt)), this.stopped))) return;
    }
  }

  /** Resolves when the stream has ended, with whether it was open. */
  private connect(): Promise<boolean> {
    const { url, token } = this.request();
    return new Promise((resolve) => {
      let wasOpen = false;
      const stream: EventStream = new EventStream(url, token, {
        onOpen: () => {
          wasOpen = true;
          this.opened += 1;
          this.handlers.onOpen();
        },
        onEvent: this.handlers.onEvent,
        onEnd: (reason) => {
          this.streams.delete(stream);
          if (!this.stopped.aborted) this.handlers.onEnd(reason);
          resolve(wasOpen);
        },
      });
      this.streams.add(stream);
    });
  }
}
