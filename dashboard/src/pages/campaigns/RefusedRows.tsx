import { Text } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import type { CampaignRow, Refusal } from './campaign-rows';

const MAX_LISTED = 3;

/** The first of the refused rows, by their lines. */
export function RefusedRows({ rows }: { readonly rows: readonly CampaignRow[] }) {
  const { t, i18n } = useTranslation();
  const number = new Intl.NumberFormat(i18n.language);
  return (
    <>
      {rows.slice(0, MAX_LISTED).map(
        ({ line, refusal }) =>
          refusal && (
            <Text key={line} span display="block" size="xs" lineClamp={2} className="outside-text">
              {t('campaigns.lineProblem', { line, message: refusalText(t, refusal) })}
            </Text>
          ),
      )}
      {rows.length > MAX_LISTED &&
        t('campaigns.moreProblems', { number: number.format(rows.length - MAX_LISTED) })}
    </>
  );
}

export function refusalText(t: TFunction, { reason, ...values }: Refusal): string {
  return t(`campaigns.refusals.${reason}`, values);
}
