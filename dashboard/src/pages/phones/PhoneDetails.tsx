import { Card, DataList, Group, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { IconCheck, IconQuestionMark, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../components/CopyButton';
import { type Device, phoneModel } from '../../components/phones/phone';
import { Time } from '../../components/Time';
import { Ago } from './facts/Ago';
import { appVersion, useBattery, useNetwork } from './facts/PhoneFacts';
import { pushErrorText } from './push-problem';

/** What a phone reports of itself. */
export function PhoneDetails({ device }: { readonly device: Device }) {
  const { t, i18n } = useTranslation();
  const number = new Intl.NumberFormat(i18n.language);
  const battery = useBattery(device);
  const network = useNetwork(device);
  const { state, since } = device.connection;
  const none = t('phones.notReported');
  const system = [device.os, device.osVersion].filter((part) => part !== 'unknown').join(' ');
  const rows: readonly (readonly [string, ReactNode])[] = [
    [
      t('phones.connection'),
      <>
        {t(`phones.connections.${state}`)} · {t('phones.sinceWord')} <Time value={since} />
      </>,
    ],
    [
      t('phones.lastContact'),
      device.lastContactAt ? <Ago value={device.lastContactAt} /> : t('phones.neverContacted'),
    ],
    [t('phones.battery'), battery ?? none],
    [t('phones.network'), network ?? none],
    [t('phones.app'), appVersion(device) ?? none],
    [t('phones.system'), system || none],
    [t('phones.phone'), phoneModel(device) ?? none],
    [t('phones.counts'), `${number.format(device.sentSMSCount)} / ${number.format(device.receivedSMSCount)}`],
    [t('phones.registeredAt'), <Time value={device.createdAt} />],
    [
      t('phones.id'),
      <Group gap={4} wrap="nowrap">
        <Text size="xs" component="span">
          {device._id}
        </Text>
        <CopyButton value={device._id} label={t('phones.copyId')} />
      </Group>,
    ],
  ];
  return (
    <Card component="section" aria-label={t('phones.details')}>
      <Title order={2} mb="sm">
        {t('phones.details')}
      </Title>
      <DataList labelWidth={130}>
        {rows.map(([label, value]) => (
          <DataList.Item key={label}>
            <DataList.ItemLabel>{label}</DataList.ItemLabel>
            <DataList.ItemValue className="outside-text numeric">
              {typeof value === 'string' ? (
                <Text inherit component="span" lineClamp={3}>
                  {value}
                </Text>
              ) : (
                value
              )}
            </DataList.ItemValue>
          </DataList.Item>
        ))}
      </DataList>
    </Card>
  );
}

/** What the app may do, as far as the phone reports it. */
export function PhonePermissions({ device }: { readonly device: Device }) {
  const { t } = useTranslation();
  const isExempt = device.powerInfo?.isIgnoringBatteryOptimizations;
  const minutes = device.heartbeatIntervalMinutes;
  return (
    <Card component="section" aria-label={t('phones.permissions')}>
      <Title order={2} mb="sm">
        {t('phones.permissions')}
      </Title>
      <Stack gap="sm">
        <Permission
          isGiven={!device.pushError}
          label={t('phones.reachable')}
          text={pushErrorText(t, device) ?? t('phones.reachableOk')}
        />
        <Permission
          isGiven={isExempt}
          label={t('phones.background')}
          text={isExempt ? t('phones.backgroundOk') : t('phones.backgroundOff')}
        />
        <Permission
          isGiven={device.receiveSMSEnabled}
          label={t('phones.incoming')}
          text={device.receiveSMSEnabled ? t('phones.incomingOk') : t('phones.incomingOff')}
        />
        <Permission
          isGiven={device.heartbeatEnabled}
          label={t('phones.heartbeats')}
          text={
            device.heartbeatEnabled ? t('phones.heartbeatsOk', { count: minutes }) : t('phones.heartbeatsOff')
          }
        />
      </Stack>
    </Card>
  );
}

const SIGNS = { yes: IconCheck, no: IconX, unknown: IconQuestionMark } as const;
const COLORS = { yes: 'teal', no: 'red', unknown: 'gray' } as const;

function Permission(props: {
  readonly isGiven: boolean | undefined;
  readonly label: string;
  readonly text: string;
}) {
  const { t } = useTranslation();
  const { isGiven, label, text } = props;
  const answer = isGiven === undefined ? 'unknown' : isGiven ? 'yes' : 'no';
  const Sign = SIGNS[answer];
  return (
    <Group gap="sm" wrap="nowrap" align="flex-start">
      <ThemeIcon variant="light" radius="xl" size="sm" color={COLORS[answer]} mt={2}>
        <Sign size={14} aria-hidden />
      </ThemeIcon>
      <div>
        <Text size="sm" fw={500}>
          {label}
        </Text>
        <Text size="sm" c="dimmed" className="outside-text">
          {answer === 'unknown' ? t('phones.notReported') : text}
        </Text>
      </div>
    </Group>
  );
}
