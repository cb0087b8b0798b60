import { connect, type Socket } from 'node:net';
import { Backoff } from 'messaging-gateway-phone';

export interface StreamingPhoneOptions {
  readonly port: number;
  readonly deviceId: string;
  readonly apiKey: string;
  /** A loopback address, as if the phones of each account had one of their own. */
  readonly localAddress: string;
}

export interface PhoneHandlers {
  /** Called with each attempt to connect: the status of the answer, or the error. */
  readonly onAnswer: (answer: string) => void;
  readonly onMessage: (id: string, recipient: string) => void;
}

/** The delays of the virtual phone. */
const INITIAL_BACKOFF_MS = 250;
const MAX_BACKOFF_MS = 3_000;

/** A phone that does nothing but hold its stream; it connects again when that is lost. Small, because one process runs ten thousand. */
export class StreamingPhone {
  isOpen = false;
  private readonly backoff = new Backoff(INITIAL_BACKOFF_MS, MAX_BACKOFF_MS);
  private socket?: Socket;
  private timer?: NodeJS.Timeout;
  private isStopped = false;

  constructor(
    readonly options: StreamingPhoneOptions,
    private readonly handlers: PhoneHandlers,
  ) {}

  /** @returns when the attempt was answered. */
  open(): Promise<void> {
    const { port, deviceId, apiKey, localAddress } = this.options;
    return new Promise((resolve) => {
      let isAnswered = false;
      let rest = '';
      const answer = (text: string) => {
        if (isAnswered) return;
        isAnswered = true;
        this.isOpen = text === '200';
        if (this.isOpen) this.backoff.reset();
        this.handlers.onAnswer(text);
        resolve();
      };
      const socket = connect({ host: '127.0.0.1', port, localAddress });
      this.socket = socket;
      socket.setEncoding('latin1');
      socket.write(
        `GET /api/v1/gateway/devices/${deviceId}/stream HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${apiKey}\r\n\r\n`,
      );
      socket.on('data', (text: string) => {
        if (!isAnswered) answer(text.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
        const lines = `${rest}${text}`.split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) this.read(line);
        if (!this.isOpen) socket.destroy();
      });
      socket.on('error', ({ code = 'error' }: NodeJS.ErrnoException) => {
        answer(code);
      });
      socket.on('close', () => {
        answer('closed');
        this.isOpen = false;
        if (!this.isStopped) this.timer = setTimeout(() => void this.open(), this.backoff.next());
      });
    });
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
    this.socket?.destroy();
  }

  private read(line: string): void {
    if (!line.startsWith('data: {"smsId"')) return;
    const { smsId, recipients } = JSON.parse(line.slice('data: '.length)) as {
      smsId: string;
      recipients: string[];
    };
    this.handlers.onMessage(smsId, recipients[0] ?? '');
  }
}
