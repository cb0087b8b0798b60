import type { ErrorResponse, PlanLimitResponse } from 'messaging-gateway-client';

/** Timeout, too early, too many requests. */
const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);

/** The body of an error response; empty if a proxy responded. */
export type ErrorBody = Partial<Omit<PlanLimitResponse, 'code'>> & {
  readonly code?: string;
  readonly details?: ErrorResponse['details'];
};

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly body: ErrorBody;
  readonly retryAfterMs: number | undefined;

  constructor(response: Response, error: unknown) {
    const body: ErrorBody = typeof error === 'object' && error !== null ? error : {};
    super(body.message ?? body.error ?? `the service responded with ${response.status}`);
    this.status = response.status;
    this.body = body;
    const seconds = response.headers.get('retry-after');
    this.retryAfterMs = seconds !== null && /^\d+$/.test(seconds) ? Number(seconds) * 1000 : undefined;
  }

  /** Whether a retry cannot succeed. */
  get isPermanent(): boolean {
    return this.status < 500 && !RETRYABLE_STATUSES.has(this.status);
  }
}

interface Answer<T> {
  readonly data?: { readonly data: T };
  readonly error?: unknown;
  readonly response: Response;
}

/** @throws ApiError */
export function dataOf<T>({ data, error, response }: Answer<T>): T {
  if (data === undefined) throw new ApiError(response, error);
  // Any web server can respond with a 2xx.
  if (typeof data !== 'object') throw new Error(`${response.url} is not the messaging gateway`);
  return data.data;
}
