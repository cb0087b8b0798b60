import { Alert, Group, List, Skeleton, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { estimateSend, type EstimateResponse, type SendBulkSmsRequest } from '../../../generated';
import { getCurrentSubscriptionOptions } from '../../../generated/@tanstack/react-query.gen';
import { ApiError } from '../../api/client';
import { endOfEstimate, startOfEstimate, waitsOpenEnded } from '../../api/estimate';
import { sendingState, useSenders } from '../../api/senders';
import { errorText } from '../../components/notify';
import { Time, useTimeFormat } from '../../components/Time';
import { shortPartsNote } from '../../components/part-size';
import { type CampaignMessages, lineOf } from './campaign-rows';
import { HeldBack } from './HeldBack';

const MAX_LISTED = 10;

/** What the service would do with a campaign. @param campaign.key changes with its messages. */
export function useEstimate(
  campaign: { readonly body: SendBulkSmsRequest; readonly key: string } | undefined,
) {
  const { messages, ...fields } = campaign?.body ?? { messages: [] };
  const state = sendingState(useSenders());
  return useQuery({
    // Without the messages, which may be 10,000.
    queryKey: ['campaign-estimate', campaign?.key, fields, entryFields(messages), state],
    queryFn: async ({ signal }) => {
      if (!campaign) return null;
      return (await estimateSend({ body: { messages, ...fields }, signal, throwOnError: true })).data.data;
    },
    placeholderData: keepPreviousData,
    enabled: campaign !== undefined,
    refetchInterval: false,
    staleTime: 60_000,
    gcTime: 60_000,
  });
}

/** What all entries of a campaign have besides their texts and numbers. */
const entryFields = ([first]: SendBulkSmsRequest['messages']) => ({
  scheduledAt: first?.scheduledAt,
  simSubscriptionId: first?.simSubscriptionId,
});

/** The dry run of a campaign: parts, end, what is held back, and what the plan leaves. */
export function DryRun(props: {
  readonly estimate: EstimateResponse | null | undefined;
  /** In milliseconds since 1970. */
  readonly estimatedAt: number;
  readonly error: unknown;
  readonly lines: CampaignMessages['lines'];
  readonly scheduledAt: string | undefined;
  /** That the time was chosen in; undefined if it is sent now. */
  readonly zone: string | undefined;
  /** No campaign is complete yet. */
  readonly isEmpty: boolean;
}) {
  const { t, i18n } = useTranslation();
  const number = new Intl.NumberFormat(i18n.language);
  const { estimate, estimatedAt, error, scheduledAt, zone, isEmpty } = props;
  const { timeZone } = useTimeFormat(zone);
  const { findSim, simName, phoneName } = useSenders();
  const usage = useQuery(getCurrentSubscriptionOptions()).data?.usage;
  if (isEmpty) return <Text c="dimmed">{t('campaigns.dryRunEmpty')}</Text>;
  if (error) return <EstimateError error={error} lines={props.lines} />;
  if (!estimate)
    return (
      <Stack gap="xs" role="status">
        <Text size="sm" c="dimmed">
          {t('send.calculating')}
        </Text>
        <Skeleton height={20} />
        <Skeleton height={20} />
      </Stack>
    );
  const end = endOfEstimate(estimate, estimatedAt, scheduledAt);
  const start = scheduledAt ?? startOfEstimate(estimate, estimatedAt);
  const isHeldBack = !scheduledAt && waitsOpenEnded(estimate);
  const left = (remaining: number, limit: number) =>
    limit < 0 ? t('send.unlimited') : number.format(Math.max(0, remaining));
  return (
    <Stack gap={6} role="status">
      <Line label={t('campaigns.messages')}>{number.format(estimate.messages)}</Line>
      <Line label={t('campaigns.parts')}>
        {number.format(estimate.parts)}
        {shortPartsNote(t, estimate.encoding)}
      </Line>
      {!isHeldBack && (
        <>
          {start !== 'unknown' && (
            <Line label={t('send.firstLeaves')}>
              {start === undefined ? (
                t('send.atOnce')
              ) : (
                <Time value={new Date(start).toISOString()} zone={zone} />
              )}
            </Line>
          )}
          <Line label={t('send.lastLeaves')}>
            {end === undefined ? t('send.atOnce') : <Time value={new Date(end).toISOString()} zone={zone} />}
          </Line>
        </>
      )}
      {usage && (
        <>
          <Line label={t('campaigns.planToday')}>{left(usage.dailyRemaining, usage.dailyLimit)}</Line>
          <Line label={t('campaigns.planMonth')}>{left(usage.monthlyRemaining, usage.monthlyLimit)}</Line>
        </>
      )}
      {estimate.sims.length > 0 && (
        <>
          <Text size="sm" fw={600} mt="xs">
            {t('send.bySim')}
          </Text>
          {estimate.sims.map(({ sim, messages, until }) => {
            const found = findSim({ sim });
            const phone = phoneName(found?.device);
            return (
              <Line key={sim} label={found ? [simName(found), phone].filter(Boolean).join(' · ') : sim}>
                {number.format(messages)}
                <Text size="xs" c="dimmed" component="div">
                  <Time value={until} zone={zone} />
                </Text>
              </Line>
            );
          })}
        </>
      )}
      {estimate.offendingCharacters.length > 0 && (
        <Alert color="yellow" p="xs" mt="xs">
          {t('campaigns.unicode', {
            characters: estimate.offendingCharacters.slice(0, MAX_LISTED).map(visible).join(' '),
          })}
        </Alert>
      )}
      <HeldBack heldBack={estimate.heldBack} zone={zone} />
      <Text size="xs" c="dimmed">
        {t('send.timesIn', { zone: timeZone })}
      </Text>
    </Stack>
  );
}

function Line({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
      <Text size="sm" c="dimmed" className="outside-text">
        {label}
      </Text>
      <Text size="sm" fw={600} className="numeric" ta="end" component="div">
        {children}
      </Text>
    </Group>
  );
}

/** The API's message, and each field of it by its line. */
export function EstimateError({
  error,
  lines,
}: {
  readonly error: unknown;
  readonly lines: CampaignMessages['lines'];
}) {
  const { t } = useTranslation();
  const details = error instanceof ApiError ? error.details : [];
  return (
    <Alert color="red" title={t('campaigns.refusedByService')} role="alert">
      <Text size="sm" className="outside-text">
        {errorText(error)}
      </Text>
      {details.length > 0 && (
        <List size="sm" mt="xs">
          {details.slice(0, MAX_LISTED).map(({ field, message }) => {
            const line = lineOf(field, lines);
            return (
              <List.Item key={field} className="outside-text">
                {line === undefined ? message : t('campaigns.lineProblem', { line, message })}
              </List.Item>
            );
          })}
        </List>
      )}
    </Alert>
  );
}

/** What cannot be seen, by its code point. */
const visible = (character: string) =>
  /[\p{C}\p{Z}]/u.test(character)
    ? `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
    : character;
