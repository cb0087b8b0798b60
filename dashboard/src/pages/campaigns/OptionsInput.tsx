import { Group, Input, SegmentedControl, Select, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { listPoolsOptions } from '../../../generated/@tanstack/react-query.gen';
import { deviceName, useSenders } from '../../api/senders';
import { clockAt } from '../../preferences/zoned-time';
import { useSenderChoices } from '../send/sender-choices';
import type { CampaignOptions } from './campaign-options';
import { ScheduleFields } from './ScheduleFields';

const VALIDITIES = ['3600', '21600', '86400', '259200'] as const;
const PURPOSES = ['marketing', 'transactional'] as const;
const HOUR_MS = 3_600_000;

/** From where, when, and within which hours a campaign is sent. */
export function OptionsInput({
  options,
  onChange,
}: {
  readonly options: CampaignOptions;
  readonly onChange: (options: CampaignOptions) => void;
}) {
  const { t } = useTranslation();
  const set = (changed: Partial<CampaignOptions>) => onChange({ ...options, ...changed });
  const known = useSenders();
  const { devices, sims, phoneName, simName } = known;
  const choices = useSenderChoices(known).flatMap(({ items }) => items);
  const chosen = choices.find(({ value }) => value === (options.sender ?? ''));
  const pools = useQuery(listPoolsOptions()).data?.data ?? [];
  const senders = [
    { group: t('send.pools'), items: pools.map(({ _id, name }) => ({ value: `pool:${_id}`, label: name })) },
    {
      group: t('send.phones'),
      items: devices
        .filter(({ enabled }) => enabled)
        .map((device) => ({ value: `device:${device._id}`, label: deviceName(device) })),
    },
    {
      group: t('send.sims'),
      items: sims.flatMap((sim) =>
        sim.device && sim.subscriptionId !== undefined && sim.enabled
          ? [
              {
                value: `sim:${sim.device}:${sim.subscriptionId}`,
                label: t('send.simOf', { sim: simName(sim), phone: phoneName(sim.device) ?? '' }),
              },
            ]
          : [],
      ),
    },
  ].filter(({ items }) => items.length > 0);
  return (
    <Stack gap="md">
      <Select
        label={t('send.from')}
        placeholder={choices[0]?.label ?? t('send.fromDefault')}
        data={senders}
        value={options.sender}
        onChange={(sender) => set({ sender })}
        clearable
        searchable
      />
      {chosen?.isVirtual && (
        <Text size="sm" role="status">
          {t('send.virtualSender')}
        </Text>
      )}
      <Input.Wrapper label={t('send.when')} labelElement="div">
        <Stack gap="sm">
          <SegmentedControl
            aria-label={t('send.when')}
            value={options.isLater ? 'later' : 'now'}
            onChange={(value) =>
              set({
                isLater: value === 'later',
                ...(options.clock === '' && { clock: clockAt(new Date(Date.now() + HOUR_MS), options.zone) }),
              })
            }
            data={[
              { value: 'now', label: t('send.now') },
              { value: 'later', label: t('send.later') },
            ]}
            style={{ alignSelf: 'flex-start' }}
          />
          {options.isLater && (
            <ScheduleFields
              clock={options.clock}
              zone={options.zone}
              onClock={(clock) => set({ clock })}
              onZone={(zone) => set({ zone })}
            />
          )}
        </Stack>
      </Input.Wrapper>
      <Switch
        label={t('send.quietHours')}
        description={t('send.quietHoursHint')}
        checked={options.hasQuietHours}
        onChange={(event) => set({ hasQuietHours: event.currentTarget.checked })}
      />
      {options.hasQuietHours && (
        <Group grow>
          <TextInput
            type="time"
            label={t('send.quietFrom')}
            value={options.quietFrom}
            onChange={(event) => set({ quietFrom: event.currentTarget.value })}
            required
          />
          <TextInput
            type="time"
            label={t('send.quietTo')}
            value={options.quietTo}
            onChange={(event) => set({ quietTo: event.currentTarget.value })}
            required
          />
        </Group>
      )}
      <Select
        label={t('campaigns.purpose')}
        description={t('campaigns.purposeHint')}
        placeholder={t('campaigns.purposes.none')}
        data={PURPOSES.map((value) => ({ value, label: t(`campaigns.purposes.${value}`) }))}
        value={options.purpose}
        onChange={(purpose) => set({ purpose: PURPOSES.find((each) => each === purpose) ?? null })}
        clearable
      />
      <Select
        label={t('send.validity')}
        description={t('send.validityHint')}
        placeholder={t('send.validForever')}
        data={VALIDITIES.map((value) => ({ value, label: t(`send.valid.s${value}`) }))}
        value={options.validity}
        onChange={(validity) => set({ validity })}
        clearable
      />
      <Switch
        label={t('send.urgent')}
        description={t('send.urgentHint')}
        checked={options.isUrgent}
        onChange={(event) => set({ isUrgent: event.currentTarget.checked })}
      />
    </Stack>
  );
}
