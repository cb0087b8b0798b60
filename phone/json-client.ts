import {
  Agent as HttpAgent,
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

/** Timeout, too early, too many requests. */
const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);

/** A request without a 2xx response; without a status if there was no response. */
export class RequestError extends Error {
  override readonly name = 'RequestError';

  constructor(
    message: string,
    readonly status?: number,
    readonly retryAfterMs?: number,
  ) {
    super(message);
  }

  /** Whether a retry cannot succeed. */
  get isPermanent(): boolean {
    return (
      this.status !== undefined &&
      this.status >= 400 &&
      this.status < 500 &&
      !RETRYABLE_STATUSES.has(this.status)
    );
  }
}

export interface JsonClientOptions {
  /** Without `/api/v1`. */
  readonly baseUrl: string;
  /** Absent for public routes. */
  readonly apiKey?: string;
  /** Shared by the clients of a fleet to limit sockets; by default each has its own. */
  readonly agent?: HttpAgent;
  /** Limit of a whole request. Default 15 s. */
  readonly timeoutMs?: number;
}

export class JsonClient {
  private readonly root: URL;
  private readonly agent: HttpAgent;
  private readonly ownsAgent: boolean;
  private readonly inFlight = new Set<ClientRequest>();

  /** @throws TypeError if `baseUrl` is not an http or https URL. */
  constructor(private readonly options: JsonClientOptions) {
    const base = options.baseUrl.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
    this.root = new URL(`${base}/api/v1/`);
    const secure = this.root.protocol === 'https:';
    if (!secure && this.root.protocol !== 'http:') throw new TypeError(`not an http or https URL: ${base}`);
    const agentOptions = { keepAlive: true, maxSockets: 8 };
    this.agent = options.agent ?? (secure ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions));
    this.ownsAgent = options.agent === undefined;
  }

  /** @returns the parsed body of a 2xx response. @throws RequestError otherwise. */
  async call(method: string, path: string, body?: unknown): Promise<unknown> {
    const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const request = this.openRequest(method, path, this.agent);
    if (payload !== undefined) {
      request.setHeader('content-type', 'application/json');
      request.setHeader('content-length', payload.length);
    }
    this.inFlight.add(request);
    const timeoutMs = this.options.timeoutMs ?? 15_000;
    const limit = setTimeout(
      () => request.destroy(new Error(`no response within ${timeoutMs} ms`)),
      timeoutMs,
    );
    try {
      const { status, text, retryAfter } = await readResponse(request, payload);
      if (status < 200 || status > 299) {
        throw new RequestError(errorMessage(method, path, status, text), status, retryAfterMs(retryAfter));
      }
      return parseBody(text);
    } catch (error) {
      if (error instanceof RequestError) throw error;
      throw new RequestError(`${method} ${path}: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      clearTimeout(limit);
      this.inFlight.delete(request);
    }
  }

  /** Creates a request. @param agent by default the request has its own connection. */
  openRequest(method: string, path: string, agent: HttpAgent | false = false): ClientRequest {
    const url = new URL(path, this.root);
    const options = {
      method,
      agent,
      headers: {
        ...(this.options.apiKey !== undefined && { 'x-api-key': this.options.apiKey }),
        accept: 'application/json, text/event-stream',
      },
    };
    return url.protocol === 'https:' ? httpsRequest(url, options) : httpRequest(url, options);
  }

  /** Aborts requests and closes connections. The client can still be used. */
  close(): void {
    for (const request of this.inFlight) request.destroy(new Error('the client was closed'));
    if (this.ownsAgent) this.agent.destroy();
  }
}

interface CompleteResponse {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | undefined;
}

function readResponse(request: ClientRequest, payload: Buffer | undefined): Promise<CompleteResponse> {
  return new Promise((resolve, reject) => {
    request.on('error', reject);
    request.once('response', (response: IncomingMessage) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.once('end', () => {
        resolve({
          status: response.statusCode ?? 0,
          text: Buffer.concat(chunks).toString('utf8'),
          retryAfter: response.headers['retry-after'],
        });
      });
    });
    request.end(payload);
  });
}

function parseBody(text: string): unknown {
  if (text.trim() === '') return undefined;
  return JSON.parse(text);
}

function errorMessage(method: string, path: string, status: number, text: string): string {
  return `${method} ${path}: ${status} ${reasonOf(text)}`.trimEnd();
}

function reasonOf(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null) {
      if ('message' in body && typeof body.message === 'string') return body.message;
      if ('error' in body && typeof body.error === 'string') return body.error;
    }
  } catch {
    // Not JSON: the response of a proxy.
  }
  return '';
}

function retryAfterMs(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const seconds = Number(header);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}
