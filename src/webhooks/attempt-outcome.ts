import type { OutboundResult } from './outbound/outbound-http';
import { readRetryAfter } from './retry-schedule';

/** What one attempt came to. */
export type AttemptOutcome = { readonly httpStatusCode?: number; readonly responseBody?: string } & (
  | { readonly kind: 'delivered' }
  /** Worth another attempt. */
  | { readonly kind: 'retryable'; readonly error: string; readonly retryAfterMs: number }
  /** Would end the same way again. */
  | { readonly kind: 'non-retryable'; readonly error: string; readonly isGone: boolean }
);

/**
 * Answers of the 4xx kind that are worth another attempt. An endpoint that is being redeployed answers 403 or 404 for a
 * while; one that is gone for good says 410.
 */
const PASSING = new Set([403, 404, 408, 425, 429]);
const GONE = 410;

/** Judges an attempt by what came back. @param now when it ended. */
export function attemptOutcome(result: OutboundResult, now: Date): AttemptOutcome {
  switch (result.kind) {
    case 'timed_out':
      return { kind: 'retryable', error: 'The endpoint did not answer in time', retryAfterMs: 0 };
    case 'failed':
      return { kind: 'retryable', error: result.reason, retryAfterMs: 0 };
    case 'refused':
      return { kind: 'non-retryable', error: result.reason, isGone: false };
    case 'answered':
      return answerOutcome(result, now);
  }
}

function answerOutcome(
  { status, body, retryAfter }: Extract<OutboundResult, { kind: 'answered' }>,
  now: Date,
): AttemptOutcome {
  const answer = { httpStatusCode: status, responseBody: body };
  if (status >= 200 && status < 300) return { ...answer, kind: 'delivered' };
  const error = `The endpoint answered ${status}`;
  if (status >= 500 || PASSING.has(status)) {
    return { ...answer, kind: 'retryable', error, retryAfterMs: readRetryAfter(retryAfter, now) };
  }
  const isRedirect = status >= 300 && status < 400;
  return {
    ...answer,
    kind: 'non-retryable',
    error: isRedirect ? `${error}; redirects are not followed, give the address it points to` : error,
    isGone: status === GONE,
  };
}
