import { Alert, Group, List, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { getDeviceOptions, listApiKeysOptions } from '../../../../generated/@tanstack/react-query.gen';
import { serviceUrl } from '../../../api/base-path';
import { showSuccess } from '../../../components/notify';
import { phoneName } from '../../../components/phones/phone';
import { QrCode } from '../../../components/QrCode';
import { ErrorAlert, LoadingSkeleton } from '../../../components/QueryState';
import { Copied } from './Copied';
import { createPhoneKey, discardUnusedKey, type PhoneKey, revokeWhileLeaving } from './pairing-key';
import { WaitingForPhone } from './WaitingForPhone';

/** Besides the hints of the event stream, which may be away. */
const POLL_MS = 2_000;

const isLocal = (host: string) =>
  host === 'localhost' || host.endsWith('.localhost') || /^127\.|^\[?::1/.test(host);

/** Pairs another app or program by a phone key, and turns to the phone once one has registered with it. */
export function OwnAppPairing({ onClose }: { readonly onClose: () => void }) {
  const { key, error, forget } = usePhoneKey();
  const isUnused = usePairedPhone(key);
  useForgottenKey(isUnused ? key : undefined, forget, onClose);
  if (error !== undefined) return <ErrorAlert error={error} />;
  return key === undefined ? <LoadingSkeleton lines={4} /> : <Instructions value={key.value} />;
}

function Instructions({ value }: { readonly value: string }) {
  const { t } = useTranslation();
  return (
    <Stack>
      <List type="ordered" spacing="sm" styles={{ itemWrapper: { display: 'inline' } }}>
        <List.Item>{t('pairing.own.stepApp')}</List.Item>
        <List.Item>
          {t('pairing.own.stepAddress')}
          <Copied value={serviceUrl()} label={t('pairing.own.copyAddress')} />
          {isLocal(location.hostname) && (
            <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} mt="xs" p="xs">
              {t('pairing.own.localAddress', { port: location.port ? `:${location.port}` : '' })}
            </Alert>
          )}
        </List.Item>
        <List.Item>
          {t('pairing.own.stepScan')}
          <Copied value={value} label={t('pairing.own.copyKey')} />
        </List.Item>
      </List>
      <Group justify="center">
        <QrCode value={value} label={t('pairing.own.code')} size={240} />
      </Group>
      <WaitingForPhone />
      <Text size="sm" c="dimmed">
        {t('pairing.own.validity')}
      </Text>
    </Stack>
  );
}

/** A key that lives as long as the modal, unless a phone takes it. */
function usePhoneKey() {
  const [state, setState] = useState<{ readonly key?: PhoneKey; readonly error?: unknown }>({});
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
  return { ...state, forget: () => setState({}) };
}

/** Turns to the phone that takes the key. @returns whether none has taken it. */
function usePairedPhone(key: PhoneKey | undefined): boolean {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const keys = useQuery({ ...listApiKeysOptions(), enabled: key !== undefined, refetchInterval: POLL_MS });
  const id = keys.data?.data.find(({ _id }) => _id === key?.id)?.deviceId;
  const device = useQuery({ ...getDeviceOptions({ path: { id: id ?? '' } }), enabled: id !== undefined });
  const paired = device.data?.data;
  useEffect(() => {
    if (!paired) return;
    showSuccess(t('pairing.done', { name: phoneName(paired) }));
    void navigate({ to: '/phones/$id', params: { id: paired._id } });
  }, [paired, navigate, t]);
  return id === undefined;
}

/** Another address in the browser ends the page without closing the modal, and the browser may keep the page as it was. */
function useForgottenKey(unused: PhoneKey | undefined, forget: () => void, onClose: () => void): void {
  const latest = useRef({ unused, forget, onClose });
  useEffect(() => {
    latest.current = { unused, forget, onClose };
  });
  useEffect(() => {
    const leave = () => {
      const { unused: key, forget: forgetKey } = latest.current;
      if (key) revokeWhileLeaving(key);
      flushSync(forgetKey);
    };
    const comeBack = ({ persisted }: PageTransitionEvent) => {
      if (persisted) latest.current.onClose();
    };
    addEventListener('pagehide', leave);
    addEventListener('pageshow', comeBack);
    return () => {
      removeEventListener('pagehide', leave);
      removeEventListener('pageshow', comeBack);
    };
  }, []);
}
