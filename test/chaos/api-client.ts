/** What the service answered. */
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

/** Calls the service as a client program does, once. */
export class ApiClient {
  constructor(private readonly apiKey: string) {}

  /** @throws when there is no answer: what became of the call is not known then. */
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

  /** What stands in the envelope of a 2xx. @throws Error for every other answer. */
  async data<T>(baseUrl: string, call: ApiCall): Promise<T> {
    const { status, body } = await this.call(baseUrl, call);
    if (status < 200 || status > 299) {
      throw new Error(`${call.method} ${call.path}: ${status} ${JSON.stringify(body)}`);
    }
    return (body as { data: T }).data;
  }
}
