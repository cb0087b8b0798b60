import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { getCurrentSubscriptionOptions } from '../../../generated/@tanstack/react-query.gen';

/** The plan and, in lines, what is left of it; undefined until it is read. */
export function usePlanLeft(): { readonly name: string; readonly lines: readonly string[] } | undefined {
  const { t, i18n } = useTranslation();
  const { data } = useQuery(getCurrentSubscriptionOptions());
  if (!data) return undefined;
  const number = new Intl.NumberFormat(i18n.language);
  const { dailyLimit, dailyRemaining, monthlyLimit, monthlyRemaining } = data.usage;
  const lines = [
    dailyLimit >= 0 &&
      t('send.leftToday', { left: number.format(dailyRemaining), limit: number.format(dailyLimit) }),
    monthlyLimit >= 0 &&
      t('send.leftThisMonth', { left: number.format(monthlyRemaining), limit: number.format(monthlyLimit) }),
  ].filter((line) => line !== false);
  return { name: data.plan.displayName, lines: lines.length > 0 ? lines : [t('send.unlimited')] };
}
