import { request, type IncomingHttpHeaders } from 'node:http';
import { isRecord, parseOrUndefined } from '../wire';

export interface LocalServerOptions {
  /** Such as `http://192.168.1.20:8080`. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  /** Default 10 s. */
  readonly timeoutMs?: number;
}

export interface LocalAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

const MAX_BODY_BYTES = 4_194_304;

/** The local server of the app SMSGate. */
export class LocalServer {
  private readonly root: URL;
  private readonly authorization: string;

  /** @throws TypeError for an invalid URL. */
  constructor(private readonly options: LocalServerOptions) {
    this.root = new URL(options.url.endsWith('/') ? options.url : `${options.url}/`);
    if (this.root.protocol !== 'http:')
      throw new TypeError(`The local server of the app has http://, not ${options.url}`);
    const credentials = Buffer.from(`${options.user}:${options.password}`, 'utf8').toString('base64');
    this.authorization = `Basic ${credentials}`;
  }

  /** @returns any answer, also an error. @throws Error without one. */
  call(method: string, path: string, body?: unknown): Promise<LocalAnswer> {
    const { timeoutMs = 10_000 } = this.options;
    return new Promise((resolve, reject) => {
      const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
      const call = request(new URL(path, this.root), {
        method,
        headers: {
          authorization: this.authorization,
          accept: 'application/json',
          ...(payload && { 'content-type': 'application/json', 'content-length': payload.length }),
        },
      });
      const limit = setTimeout(() => call.destroy(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
      const fail = (error: Error): void => {
        clearTimeout(limit);
        reject(new Error(`${method} ${this.root.origin}/${path.split('?')[0] ?? ''}: ${error.message}`));
      };
      call.on('error', fail);
      call.once('response', (response) => {
        const chunks: Buffer[] = [];
        let length = 0;
        response.on('data', (chunk: Buffer) => {
          length += chunk.length;
          if (length > MAX_BODY_BYTES) call.destroy(new Error('the answer is too long'));
          else chunks.push(chunk);
        });
        response.on('error', fail);
        response.once('end', () => {
          clearTimeout(limit);
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: parseOrUndefined(text),
          });
        });
      });
      call.end(payload);
    });
  }
}

/** The text of an error answer. */
export function errorIn({ status, body }: LocalAnswer): string {
  const message = isRecord(body) && typeof body.message === 'string' ? body.message : '';
  return `${status} ${message}`.trimEnd();
}
