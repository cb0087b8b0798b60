import type { Message } from '../../messages/message.schema';
import type { OutboxEntry } from '../../messages/outbox/message-event';
import type { DeliveryStatus } from '../../webhooks/deliveries/delivery.schema';
import type { DeliverySummary } from '../../webhooks/history/delivery-history.repository';
import {
  isSubscribedTo,
  type SubscriptionLabel,
} from '../../webhooks/subscriptions/webhook-subscriptions.repository';
import type { Facts } from './facts';
import { counted, onTime } from './names';
import { type Step, step, stepIf } from './steps';
import { byId } from '../../common/documents';
import { capitalize } from '../../common/capitalize';

/** Webhooks that one sentence names. */
const MAX_NAMED = 5;

type DeliverySentence = (delivery: DeliverySummary, webhook: string, event: string) => Step;

const DELIVERIES = {
  pending: ({ createdAt }, webhook, event) =>
    step('webhook_pending', createdAt, `${webhook} is about to be told ${event}.`),
  retrying: (delivery, webhook, event) => {
    const { nextDeliveryAttemptAt, lastDeliveryAttemptAt, createdAt } = delivery;
    const next = nextDeliveryAttemptAt ? ` The next attempt is due ${onTime(nextDeliveryAttemptAt)}.` : '';
    const text = `${webhook} could not be told ${event} yet: ${attemptsOf(delivery)}${answerOf(delivery)}.${next}`;
    return step('webhook_retrying', lastDeliveryAttemptAt ?? createdAt, text);
  },
  delivered: (delivery, webhook, event) => {
    const { deliveredAt, lastDeliveryAttemptAt, createdAt } = delivery;
    const at = deliveredAt ?? lastDeliveryAttemptAt ?? createdAt;
    return step('webhook_delivered', at, `${webhook} was told ${event}, after ${attemptsOf(delivery)}.`);
  },
  failed: (delivery, webhook, event) => {
    const { lastDeliveryAttemptAt, createdAt } = delivery;
    const text = `${webhook} was not told ${event}: ${attemptsOf(delivery)}${answerOf(delivery)}. It is not tried again, unless it is redelivered.`;
    return step('webhook_failed', lastDeliveryAttemptAt ?? createdAt, text);
  },
} as const satisfies Record<DeliveryStatus, DeliverySentence>;

/** What webhooks were told, and what is not relayed to them yet. */
export function webhookSteps({ message, deliveries, subscriptions }: Facts): Step[] {
  const subscriptionsById = byId(subscriptions);
  const told = deliveries.map((delivery) => {
    const webhook = webhookName(
      subscriptionsById.get(delivery.webhookSubscription.toHexString()),
      delivery.deliveryUrl,
    );
    const sayOutcome = DELIVERIES[delivery.computedStatus];
    return { ...sayOutcome(delivery, capitalize(webhook), eventName(delivery)), delivery: delivery._id };
  });
  return [
    ...told,
    ...outboxOf(message).map((entry) => outboxStep(entry, subscriptions, message.relaySetAsideAt)),
  ];
}

/** What holds for all webhooks at the time of the explanation. */
export function webhookSummary({ now, message, deliveries, moreCount }: Facts): Step[] {
  const told = new Set<string>([...deliveries, ...outboxOf(message)].map(({ event }) => event));
  const untold = new Set(message.raised.map(eventOfKey).filter((event) => !told.has(event)));
  if (moreCount > 0) {
    const text = `There are ${moreCount} more webhook deliveries; read them in the delivery history.`;
    return [step('webhook_more', now, text)];
  }
  const text = `No webhook is known to have been told ${[...untold].join(', ')}: none was subscribed, or the deliveries are removed.`;
  return stepIf('webhook_none', untold.size > 0 && now, text);
}

/** Earlier versions may have stored entries of another shape, which the relay sets aside. */
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
  const event = eventName(entry);
  const waiting = subscriptions.filter((each) => each.isActive && isSubscribedTo(each, entry.event));
  const names = waiting.slice(0, MAX_NAMED).map((each) => webhookName(each));
  const more = waiting.length - names.length;
  const all = [...names, ...(more > 0 ? [counted(more, 'other webhook')] : [])].join(', ');
  const text = setAsideAt
    ? `Relaying ${event} to webhooks failed repeatedly; it is tried again every hour.`
    : waiting.length > 0
      ? `${event} is not relayed yet to ${all}.`
      : `${event} is not relayed yet; no active webhook is subscribed to it.`;
  return step('webhook_not_relayed', entry.at, text);
}

/** Its name and host. The rest of its URL may hold secrets. */
function webhookName(
  subscription: Pick<SubscriptionLabel, '_id' | 'name' | 'deliveryUrl'> | undefined,
  deliveryUrl = subscription?.deliveryUrl,
): string {
  const host = deliveryUrl !== undefined && URL.canParse(deliveryUrl) ? new URL(deliveryUrl).host : undefined;
  const place = host ? ` at ${host}` : '';
  return subscription?.name ? `the webhook "${subscription.name}"${place}` : `the webhook${place}`;
}

const eventName = ({ event, reportedStatus }: DeliverySummary | OutboxEntry): string =>
  reportedStatus ? `${event} (${reportedStatus})` : event;

const eventOfKey = (key: string): string => key.split(':')[0] ?? key;

const attemptsOf = ({ deliveryAttemptCount }: DeliverySummary): string =>
  counted(deliveryAttemptCount, 'attempt');

const answerOf = ({ httpStatusCode }: DeliverySummary): string =>
  httpStatusCode === undefined ? ' without an answer' : `, the last one answered with ${httpStatusCode}`;
