import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { EventReader, type StreamEvent } from './event-reader';

export interface StreamHandlers {
  readonly onOpen: () => void;
  readonly onEvent: (event: StreamEvent) => void;
  /** Called once, when it has ended or failed. */
  readonly onEnd: (reason: string) => void;
}

/** One connection to `GET /events`, as the event source of OkHttp makes it. */
export class EventStream {
  isOpen = false;
  /** The keep-alive comments received. */
  comments = 0;
  private readonly call: ClientRequest;
  private hasEnded = false;

  constructor(
    url: string,
    token: string,
    private readonly handlers: StreamHandlers,
  ) {
    const headers = {
      authorization: `Bearer ${token}`,
      accept: 'text/event-stream',
      'accept-encoding': 'gzip',
      'user-agent': 'okhttp/4.12.0',
    };
    this.call = get(url, { headers, agent: false }, (answer) => {
      this.accept(answer);
    });
    this.call.on('error', (error) => {
      this.end(error.message);
    });
  }

  /** Cuts the connection, as a lost network does. */
  cut(): void {
    this.call.destroy();
    this.end('cut');
  }

  private accept(answer: IncomingMessage): void {
    const type = answer.headers['content-type'] ?? '';
    const refusal =
      answer.statusCode !== 200
        ? `status ${answer.statusCode ?? 0}`
        : !/^text\/event-stream *(;|$)/.test(type)
          ? `invalid content type ${type}`
          : answer.headers['content-encoding'] !== undefined
            ? 'compressed, so that events arrive late'
            : undefined;
    if (refusal !== undefined) {
      this.call.destroy();
      this.end(refusal);
      return;
    }
    this.isOpen = true;
    const reader = new EventReader(this.handlers.onEvent, () => (this.comments += 1));
    answer.setEncoding('utf8').on('data', (chunk: string) => {
      reader.read(chunk);
    });
    answer.on('close', () => {
      this.end('closed by the service');
    });
    answer.on('error', (error) => {
      this.end(error.message);
    });
    this.handlers.onOpen();
  }

  private end(reason: string): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.isOpen = false;
    this.handlers.onEnd(reason);
  }
}
