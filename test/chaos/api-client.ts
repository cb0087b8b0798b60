export interface ApiAnswer {
  readonly status: number;
  readonly body: unknown;
}

export interface ApiCall {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 30_000;

/** An API client without retries. */
export class ApiClient {
  constructor(private readonly apiKey: string) {}

  /** @throws if there is no response, so that the result of the call is unknown. */
  async call(
    baseUrl: string,
    { method, path, body, idempotencyKey, timeoutMs }: ApiCall,
  ): Promise<ApiAnswer> {
    const answer = await fetch(`${baseUrl}/api/v1/${path}`, {
      method,
      headers: {
        'x-api-key': this.apiKey,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs ?? TIMEOUT_MS),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
  }

  /** Reads `data` of a 2xx response. @throws Error for any other response. */
  async data<T>(baseUrl: string, call: ApiCall): Promise<T> {
    const { status, body } = await this.call(baseUrl, call);
    if (status < 200 || status > 299) {
      throw new Error(`${call.method} ${call.path}: ${status} ${JSON.stringify(body)}`);
    }
    return (body as { data: T }).data;
  }
}
