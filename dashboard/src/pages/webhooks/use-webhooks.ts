import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import {
  listProblemsOptions,
  listWebhookNotificationsOptions,
} from '../../../generated/@tanstack/react-query.gen';
import { RECENT, stateOf, type Webhook, type WebhookState } from './webhook';

/** Whether the service paused it is known from the problems of the account. */
export function useWebhookState(webhook: Webhook): WebhookState {
  const problems = useQuery({ ...listProblemsOptions(), enabled: !webhook.isActive });
  const isPausedByService = problems.data?.data.some(
    ({ code, subject }) => code === 'webhook_paused' && subject.id === webhook._id,
  );
  return stateOf(webhook, isPausedByService ?? false);
}

/** Its latest deliveries, newest first. */
export function useRecentDeliveries(webhookSubscriptionId: string) {
  const query = { webhookSubscriptionId, limit: RECENT };
  return useQuery({ ...listWebhookNotificationsOptions({ query }), select: ({ data }) => data.data });
}

type Search = Readonly<Record<string, string | undefined>>;

/** The texts of the address, and a function that changes some of them. */
export function useAddress(): [Search, (changes: Search) => void] {
  const navigate = useNavigate();
  const given: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const search = Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'number' ? [[name, String(value)]] : [],
    ),
  );
  const change = (changes: Search) =>
    void navigate({
      to: '.',
      search: (previous: object) => ({ ...previous, ...changes }),
      resetScroll: false,
    });
  return [search, change];
}

/** Formats milliseconds. */
export function useDuration(): (milliseconds: number) => string {
  const { i18n } = useTranslation();
  const format = new Intl.NumberFormat(i18n.language, { style: 'unit', unit: 'millisecond' });
  return (milliseconds) => format.format(milliseconds);
}
