import type { ErrorResponse, PlanLimitResponse } from 'messaging-gateway-client';

/** Answers that ask to come again rather than to stop: request time-out, too early, too many requests. */
const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);

/** The body of an error, as far as tools read it; all of it is missing where a proxy answered for the service. */
export type ErrorBody = Partial<Omit<PlanLimitResponse, 'code'>> & {
  readonly code?: string;
  readonly details?: ErrorResponse['details'];
};

/** The service has refused a call. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly body: ErrorBody;
  /** What the service asked for in `Retry-After`, when it did. */
  readonly retryAfterMs: number | undefined;

  constructor(response: Response, error: unknown) {
    const body: ErrorBody = typeof error === 'object' && error !== null ? error : {};
    super(body.message ?? body.error ?? `the service answered ${response.status}`);
    this.status = response.status;
    this.body = body;
    const seconds = response.headers.get('retry-after');
    this.retryAfterMs = seconds !== null && /^\d+$/.test(seconds) ? Number(seconds) * 1000 : undefined;
  }

  /** True when the same call can never succeed, so that repeating it is pointless. */
  get isPermanent(): boolean {
    return this.status < 500 && !RETRYABLE_STATUSES.has(this.status);
  }
}

/** What an operation of the client resolves to. */
interface Answer<T> {
  readonly data?: { readonly data: T };
  readonly error?: unknown;
  readonly response: Response;
}

/** What stands in the envelope of an answer. @throws ApiError */
export function dataOf<T>({ data, error, response }: Answer<T>): T {
  if (data === undefined) throw new ApiError(response, error);
  // Any web server answers something to a wrong address.
  if (typeof data !== 'object') throw new Error(`${response.url} is not the messaging gateway`);
  return data.data;
}
