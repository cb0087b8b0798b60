import { Button, Card, Group, Stack, Text, TextInput, ThemeIcon, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconAlertTriangle, IconCheck, IconHourglass } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { listMessagesOptions, sendSmsMutation } from '../../../../generated/@tanstack/react-query.gen';
import { fieldErrors } from '../../../api/field-errors';
import { type Device, phoneName } from '../../../components/phones/phone';
import { ErrorAlert } from '../../../components/QueryState';
import { MessageProgress } from '../actions/MessageProgress';
import { appVersion, useBattery } from '../facts/PhoneFacts';
import { type CheckState, versionCheck } from './pairing-check';

/** A modem is no app, and has versions of its own. */
const APP_SYSTEM = 'Android';

/** What a phone that was just paired needs: its channel, the version of the app, the permission to send, and its battery. */
export default function PairingChecks(props: { readonly device: Device; readonly onClose: () => void }) {
  const { t } = useTranslation();
  const { device, onClose } = props;
  return (
    <Card component="section" aria-label={t('pairing.checks.title')}>
      <Group justify="space-between" mb="sm">
        <Title order={2}>{t('pairing.checks.title')}</Title>
        <Button size="xs" variant="default" onClick={onClose}>
          {t('pairing.checks.close')}
        </Button>
      </Group>
      {device.isVirtual ? (
        <Text size="sm">{t('pairing.checks.virtual')}</Text>
      ) : (
        <Stack component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
          <ChannelCheck device={device} />
          {device.os === APP_SYSTEM && <VersionCheck device={device} />}
          <SmsCheck device={device} />
          <BatteryCheck device={device} />
        </Stack>
      )}
    </Card>
  );
}

const SIGNS = {
  passed: { icon: IconCheck, color: 'teal' },
  waiting: { icon: IconHourglass, color: 'gray' },
  failed: { icon: IconAlertTriangle, color: 'yellow' },
} as const;

function Check(props: { readonly state: CheckState; readonly title: string; readonly children: ReactNode }) {
  const { t } = useTranslation();
  const { icon: Icon, color } = SIGNS[props.state];
  return (
    <Group component="li" wrap="nowrap" align="flex-start" gap="sm">
      <ThemeIcon
        variant="light"
        radius="xl"
        color={color}
        role="img"
        aria-label={t(`pairing.checks.${props.state}`)}
      >
        <Icon size={16} aria-hidden />
      </ThemeIcon>
      <div style={{ minWidth: 0, flexGrow: 1 }}>
        <Text fw={600}>{props.title}</Text>
        {props.children}
      </div>
    </Group>
  );
}

function ChannelCheck({ device }: { readonly device: Device }) {
  const { t } = useTranslation();
  const isOnline = device.connection.state === 'online';
  return (
    <Check state={isOnline ? 'passed' : 'waiting'} title={t('pairing.checks.channel')}>
      <Text size="sm">{t(isOnline ? 'pairing.checks.channelOk' : 'pairing.checks.channelWaiting')}</Text>
    </Check>
  );
}

function VersionCheck({ device }: { readonly device: Device }) {
  const { t } = useTranslation();
  const version = appVersion(device);
  const state = versionCheck(version);
  return (
    <Check state={state} title={t('pairing.checks.version')}>
      <Text size="sm" className="outside-text">
        {t(`pairing.checks.versionIs.${state}`, { version: version ?? '' })}
      </Text>
    </Check>
  );
}

/** Whether the app may send is known only by a message that it sends. */
function SmsCheck({ device }: { readonly device: Device }) {
  const { t } = useTranslation();
  const form = useForm({ initialValues: { recipient: '' } });
  const send = useMutation({
    ...sendSmsMutation(),
    meta: { showsErrors: true },
    onError: (error) => {
      const found = Object.entries(fieldErrors(error)).find(([field]) => field.startsWith('recipients'));
      if (found) form.setErrors({ recipient: found[1] });
    },
  });
  const batch = send.data?.data.smsBatchId;
  const query = listMessagesOptions({ query: { smsBatchId: batch ?? '', limit: 1 } });
  const message = useQuery({ ...query, enabled: batch !== undefined }).data?.data[0];
  const state = message?.failedAt ? 'failed' : message?.sentAt ? 'passed' : 'waiting';
  const submit = form.onSubmit(({ recipient }) =>
    send.mutate({
      body: {
        deviceId: device._id,
        recipients: [recipient],
        message: t('pairing.checks.smsMessage', { name: phoneName(device) }).slice(0, 160),
      },
    }),
  );
  return (
    <Check state={state} title={t('pairing.checks.sms')}>
      <Text size="sm" mb="xs">
        {t('pairing.checks.smsText')}
      </Text>
      {batch === undefined ? (
        <form onSubmit={submit}>
          <Group align="flex-start" gap="xs">
            <TextInput
              required
              type="tel"
              autoComplete="tel"
              aria-label={t('pairing.checks.recipient')}
              placeholder={t('pairing.checks.recipientExample')}
              style={{ flexGrow: 1, maxWidth: 320 }}
              {...form.getInputProps('recipient')}
            />
            <Button type="submit" loading={send.isPending}>
              {t('pairing.checks.send')}
            </Button>
          </Group>
          {send.error && Object.keys(form.errors).length === 0 && <ErrorAlert error={send.error} />}
        </form>
      ) : (
        <Stack gap="xs" maw={480}>
          <MessageProgress batch={batch} />
          {state === 'failed' && (
            <Group>
              <Text size="sm">{t('pairing.checks.smsFailed')}</Text>
              <Button size="xs" variant="default" onClick={() => send.reset()}>
                {t('pairing.checks.again')}
              </Button>
            </Group>
          )}
        </Stack>
      )}
    </Check>
  );
}

function BatteryCheck({ device }: { readonly device: Device }) {
  const { t } = useTranslation();
  const battery = useBattery(device);
  const isExempt = device.powerInfo?.isIgnoringBatteryOptimizations;
  const state = isExempt === undefined ? 'waiting' : isExempt ? 'passed' : 'failed';
  return (
    <Check state={state} title={t('pairing.checks.battery')}>
      <Text size="sm">
        {battery !== undefined && `${t('pairing.checks.charge', { battery })} `}
        {t(`pairing.checks.batteryIs.${state}`)}
      </Text>
    </Check>
  );
}
