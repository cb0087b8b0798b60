import { byId } from '../../../common/documents';
import type { Message } from '../../../messages/message.schema';
import type { OutboxEntry } from '../../../messages/message-event';
import type { DeliveryStatus } from '../../../webhooks/deliveries/delivery.schema';
import type { DeliverySummary } from '../../../webhooks/history/delivery-history.repository';
import {
  isSubscribedTo,
  type SubscriptionLabel,
} from '../../../webhooks/subscriptions/webhook-subscriptions.repository';
import type { Facts } from './facts';
import type { StepCode } from './sentences';
import type { StepFacts } from './step-facts';
import { type Step, step, stepIf } from './steps';

/** Webhooks that one sentence names. */
const MAX_NAMED = 5;

const DELIVERIES = {
  pending: 'webhook_pending',
  retrying: 'webhook_retrying',
  delivered: 'webhook_delivered',
  failed: 'webhook_failed',
} as const satisfies Record<DeliveryStatus, StepCode>;

/** What webhooks were told, and what is not relayed to them yet. */
export function webhookSteps({ message, deliveries, subscriptions, now }: Facts): Step[] {
  const subscriptionsById = byId(subscriptions);
  const told = deliveries.map((delivery) => {
    const subscription = subscriptionsById.get(delivery.webhookSubscription.toHexString());
    return deliveryStep(delivery, webhookFacts(subscription, delivery.deliveryUrl), now);
  });
  return [
    ...told,
    ...outboxOf(message).map((entry) => outboxStep(entry, subscriptions, message.relaySetAsideAt)),
  ];
}

function deliveryStep(delivery: DeliverySummary, webhook: StepFacts, now: Date): Step {
  const { createdAt, lastDeliveryAttemptAt, deliveredAt, nextDeliveryAttemptAt, httpStatusCode } = delivery;
  const toldAt = delivery.computedStatus === 'delivered' ? deliveredAt : undefined;
  const isDue = nextDeliveryAttemptAt && nextDeliveryAttemptAt > now;
  const facts = {
    ...webhook,
    event: eventName(delivery),
    attempts: delivery.deliveryAttemptCount,
    httpStatus: httpStatusCode,
    dueAt: isDue ? nextDeliveryAttemptAt.toISOString() : undefined,
  };
  return {
    ...step(DELIVERIES[delivery.computedStatus], toldAt ?? lastDeliveryAttemptAt ?? createdAt, facts),
    delivery: delivery._id,
  };
}

/** What holds for all webhooks at the time of the explanation. */
export function webhookSummary({ now, message, deliveries, moreCount }: Facts): Step[] {
  const told = new Set<string>([...deliveries, ...outboxOf(message)].map(({ event }) => event));
  const untold = new Set(message.raised.map(eventOfKey).filter((event) => !told.has(event)));
  if (moreCount > 0) return [step('webhook_more', now, { more: moreCount })];
  return stepIf('webhook_none', untold.size > 0 && now, { event: [...untold].join(', ') });
}

/** Without entries of another shape, which the relay sets aside. */
function outboxOf({ outbox }: Message): readonly OutboxEntry[] {
  const stored: unknown = outbox;
  if (!Array.isArray(stored)) return [];
  return stored.filter((entry: Partial<OutboxEntry> | null) => entry?.at instanceof Date) as OutboxEntry[];
}

function outboxStep(
  entry: OutboxEntry,
  subscriptions: readonly SubscriptionLabel[],
  setAsideAt: Date | undefined,
): Step {
  const waiting = subscriptions.filter((each) => each.isActive && isSubscribedTo(each, entry.event));
  const names = waiting.slice(0, MAX_NAMED).map(webhookLabel);
  const more = waiting.length - names.length;
  return step('webhook_not_relayed', entry.at, {
    event: eventName(entry),
    setAside: setAsideAt && true,
    ...(names.length > 0 && { webhooks: names.join(', ') }),
    ...(more > 0 && { more }),
  });
}

/** Its name and host. The rest of its URL may hold secrets. */
function webhookFacts(
  subscription: SubscriptionLabel | undefined,
  deliveryUrl = subscription?.deliveryUrl,
): Pick<StepFacts, 'webhook' | 'host'> {
  const host = deliveryUrl !== undefined && URL.canParse(deliveryUrl) ? new URL(deliveryUrl).host : undefined;
  const name = subscription?.name;
  return { webhook: name === '' ? undefined : name, host: host === '' ? undefined : host };
}

/** Such as "Orders (hooks.example.com)". */
function webhookLabel(subscription: SubscriptionLabel): string {
  const { webhook, host } = webhookFacts(subscription);
  if (webhook === undefined) return host ?? '';
  return host === undefined ? webhook : `${webhook} (${host})`;
}

const eventName = ({ event, reportedStatus }: DeliverySummary | OutboxEntry): string =>
  reportedStatus ? `${event} (${reportedStatus})` : event;

const eventOfKey = (key: string): string => key.split(':')[0] ?? key;
