import type { DeliveryResponse, WebhookSubscriptionResponse } from '../../../generated/types.gen';

export type Webhook = WebhookSubscriptionResponse;
export type Delivery = DeliveryResponse;
export type EventName = Webhook['events'][number];
export type DeliveryState = Delivery['computedStatus'];

export const MESSAGE_EVENTS = [
  'MESSAGE_RECEIVED',
  'MESSAGE_SENT',
  'MESSAGE_DELIVERED',
  'MESSAGE_FAILED',
  'MESSAGE_UNCONFIRMED',
  'UNKNOWN_STATE',
] as const satisfies readonly EventName[];

export const DEVICE_EVENTS = [
  'DEVICE_OFFLINE',
  'DEVICE_ONLINE',
  'SIM_UNHEALTHY',
  'SIM_LIMIT_REACHED',
] as const satisfies readonly EventName[];

export const EMITTED_EVENTS = [...MESSAGE_EVENTS, ...DEVICE_EVENTS] as const;

export const DELIVERY_STATES = ['pending', 'retrying', 'delivered', 'failed'] as const;

/** Deliveries that the figures of a webhook are of. */
export const RECENT = 20;

/** Its label, or else its host. */
export function webhookName({ name, deliveryUrl }: Pick<Webhook, 'name' | 'deliveryUrl'>): string {
  const label = name?.trim() ?? '';
  if (label) return label;
  return URL.canParse(deliveryUrl) ? new URL(deliveryUrl).host : deliveryUrl;
}

export type WebhookState = 'active' | 'unused' | 'failing' | 'paused' | 'autoPaused' | 'secretLost';

/** @param isPausedByService whether it is one of the problems of the account. */
export function stateOf(webhook: Webhook, isPausedByService: boolean): WebhookState {
  const { isActive, signingSecret, lastDeliverySuccessAt: success, lastDeliveryFailureAt: failure } = webhook;
  if (!isActive) return isPausedByService ? 'autoPaused' : 'paused';
  if (signingSecret === '') return 'secretLost';
  if (failure && (!success || success < failure)) return 'failing';
  return success ? 'active' : 'unused';
}

export interface Figures {
  readonly attempted: number;
  readonly delivered: number;
  /** The median of the last attempts that were answered, in milliseconds. */
  readonly latencyMs?: number;
}

/** What deliveries tell of their endpoint; those that were not attempted yet tell nothing. */
export function figuresOf(deliveries: readonly Delivery[]): Figures {
  const attempted = deliveries.filter(({ deliveryAttemptCount }) => deliveryAttemptCount > 0);
  const durations = attempted
    .filter(({ httpStatusCode }) => httpStatusCode !== undefined)
    .flatMap(({ lastAttemptDurationMs }) => lastAttemptDurationMs ?? [])
    .sort((one, other) => one - other);
  return {
    attempted: attempted.length,
    delivered: attempted.filter(({ computedStatus }) => computedStatus === 'delivered').length,
    latencyMs: durations[Math.floor((durations.length - 1) / 2)],
  };
}

export type Remedy =
  | 'unreachable'
  | 'redirect'
  | 'gone'
  | 'authentication'
  | 'notFound'
  | 'busy'
  | 'serverError'
  | 'refused'
  | 'notAllowed'
  | 'aborted';

type Failed = Pick<
  Delivery,
  | 'computedStatus'
  | 'deliveryAttemptCount'
  | 'httpStatusCode'
  | 'errorType'
  | 'deliveryAttemptAbortedAt'
  | 'nextDeliveryAttemptAt'
>;

/** What to do about a delivery that is not accepted; undefined if there is nothing to do. */
export function remedyOf(delivery: Failed): Remedy | undefined {
  const { computedStatus, deliveryAttemptCount, httpStatusCode: status, errorType } = delivery;
  if (computedStatus === 'delivered' || computedStatus === 'pending') return undefined;
  if (deliveryAttemptCount === 0) return 'aborted';
  if (status === undefined) return errorType === 'non-retryable' ? 'notAllowed' : 'unreachable';
  if (status >= 500) return 'serverError';
  if (status >= 300 && status < 400) return 'redirect';
  const known: Record<number, Remedy> = {
    401: 'authentication',
    403: 'authentication',
    404: 'notFound',
    408: 'busy',
    410: 'gone',
    425: 'busy',
    429: 'busy',
  };
  return known[status] ?? 'refused';
}

/** A secret in the form of Standard Webhooks. */
export function generateSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return `whsec_${btoa(String.fromCharCode(...bytes))}`;
}
