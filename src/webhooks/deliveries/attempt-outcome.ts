import type { OutboundResult } from '../../infrastructure/outbound-http/outbound-http';
import { readRetryAfter } from './retry-schedule';

export type DeliveryAttemptOutcome = { readonly httpStatusCode?: number; readonly responseBody?: string } & (
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retryable'; readonly error: string; readonly retryAfterMs: number }
  | { readonly kind: 'non-retryable'; readonly error: string; readonly isGone: boolean }
);

/**
 * 4xx answers that are retried. An endpoint that is being redeployed may answer 403 or 404 for a while; a removed one
 * answers 410.
 */
const RETRYABLE_STATUSES = new Set([403, 404, 408, 425, 429]);
const HTTP_NOT_MODIFIED = 304;
const HTTP_GONE = 410;

/** Classifies the result of an attempt. @param now when it ended. */
export function attemptOutcome(result: OutboundResult, now: Date): DeliveryAttemptOutcome {
  switch (result.kind) {
    case 'timed_out':
      return { kind: 'retryable', error: 'The endpoint did not answer in time', retryAfterMs: 0 };
    case 'failed':
      return { kind: 'retryable', error: result.reason, retryAfterMs: 0 };
    case 'refused':
      return { kind: 'non-retryable', error: result.reason, isGone: false };
    case 'answered':
      return responseOutcome(result, now);
  }
}

function responseOutcome(
  { status, body, retryAfter }: Extract<OutboundResult, { kind: 'answered' }>,
  now: Date,
): DeliveryAttemptOutcome {
  const response = { httpStatusCode: status, responseBody: body };
  if (status >= 200 && status < 300) return { ...response, kind: 'delivered' };
  const error = `The endpoint answered ${status}`;
  if (status >= 500 || RETRYABLE_STATUSES.has(status)) {
    return { ...response, kind: 'retryable', error, retryAfterMs: readRetryAfter(retryAfter, now) };
  }
  const isRedirect = status >= 300 && status < 400 && status !== HTTP_NOT_MODIFIED;
  return {
    ...response,
    kind: 'non-retryable',
    error: isRedirect
      ? `${error}; redirects are not followed; set deliveryUrl to the URL it redirects to`
      : error,
    isGone: status === HTTP_GONE,
  };
}
