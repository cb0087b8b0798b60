import { Alert, Code, Group, List, Loader, Modal, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { getDeviceOptions, listApiKeysOptions } from '../../../../generated/@tanstack/react-query.gen';
import { CopyButton } from '../../../components/CopyButton';
import { showSuccess } from '../../../components/notify';
import { QrCode } from '../../../components/QrCode';
import { ErrorAlert, LoadingSkeleton } from '../../../components/QueryState';
import { createPhoneKey, discardUnusedKey, findKey } from './pairing-key';
import { phoneName } from '../phone';

/** Besides the hints of the event stream, which may be away. */
const POLL_MS = 2_000;

const isLocal = (host: string) =>
  host === 'localhost' || host.endsWith('.localhost') || /^127\.|^\[?::1/.test(host);

/** Shows a new phone key, and turns to the phone once one has registered with it. */
export function PairingModal({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation();
  const { key, error } = usePhoneKey();
  usePairedPhone(key);
  return (
    <Modal opened onClose={onClose} title={t('phones.pair.title')} size="lg" closeOnClickOutside={false}>
      {error !== undefined && <ErrorAlert error={error} />}
      {key === undefined && error === undefined && <LoadingSkeleton lines={4} />}
      {key !== undefined && <Instructions value={key} />}
    </Modal>
  );
}

function Instructions({ value }: { readonly value: string }) {
  const { t } = useTranslation();
  return (
    <Stack>
      <Text size="sm">{t('phones.pair.intro')}</Text>
      <List type="ordered" spacing="sm" styles={{ itemWrapper: { display: 'inline' } }}>
        <List.Item>{t('phones.pair.stepApp')}</List.Item>
        <List.Item>
          {t('phones.pair.stepAddress')}
          <Copied value={location.origin} label={t('phones.pair.copyAddress')} />
          {isLocal(location.hostname) && (
            <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} mt="xs" p="xs">
              {t('phones.pair.localAddress', { port: location.port ? `:${location.port}` : '' })}
            </Alert>
          )}
        </List.Item>
        <List.Item>
          {t('phones.pair.stepScan')}
          <Copied value={value} label={t('phones.pair.copyKey')} />
        </List.Item>
      </List>
      <Group justify="center">
        <QrCode value={value} label={t('phones.pair.code')} size={240} />
      </Group>
      <Group justify="center" gap="xs" role="status">
        <Loader size="xs" aria-hidden />
        <Text fw={600}>{t('phones.pair.waiting')}</Text>
      </Group>
      <Text size="sm" c="dimmed">
        {t('phones.pair.validity')}
      </Text>
    </Stack>
  );
}

function Copied({ value, label }: { readonly value: string; readonly label: string }) {
  return (
    <Group gap={6} wrap="nowrap" mt={4}>
      <Code style={{ overflowWrap: 'anywhere' }}>{value}</Code>
      <CopyButton value={value} label={label} />
    </Group>
  );
}

/** A key that lives as long as the modal, unless a phone takes it. */
function usePhoneKey() {
  const [state, setState] = useState<{ readonly key?: string; readonly error?: unknown }>({});
  useEffect(() => {
    let isOpen = true;
    const created = createPhoneKey();
    created.then(
      (key) => isOpen && setState({ key }),
      (error: unknown) => isOpen && setState({ error }),
    );
    return () => {
      isOpen = false;
      // One that cannot be deleted expires within a day.
      created.then(discardUnusedKey).catch(() => undefined);
    };
  }, []);
  return state;
}

function usePairedPhone(key: string | undefined): void {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const keys = useQuery({ ...listApiKeysOptions(), enabled: key !== undefined, refetchInterval: POLL_MS });
  const id = key && findKey(key, keys.data?.data ?? [])?.deviceId;
  const device = useQuery({ ...getDeviceOptions({ path: { id: id ?? '' } }), enabled: id !== undefined });
  const paired = device.data?.data;
  useEffect(() => {
    if (!paired) return;
    showSuccess(t('phones.pair.done', { name: phoneName(paired) }));
    void navigate({ to: '/phones/$id', params: { id: paired._id } });
  }, [paired, navigate, t]);
}
