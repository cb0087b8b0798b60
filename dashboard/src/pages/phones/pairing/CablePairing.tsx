import { Alert, Anchor, List, Stack } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { ErrorAlert, LoadingSkeleton } from '../../../components/QueryState';
import { CodePanel } from './CodePanel';
import { Copied } from './Copied';
import { usePairingCode } from './use-pairing-code';
import { WaitingForPhone } from './WaitingForPhone';

const COMMAND = 'npm run phone:usb -- --apk app-release.apk';

/** Pairs a phone on a USB cable: one command prepares it. */
export function CablePairing() {
  const { t } = useTranslation();
  const { code, error, renew } = usePairingCode();
  if (error) return <ErrorAlert error={error} />;
  if (!code) return <LoadingSkeleton lines={4} />;
  const address = code.addresses.find(({ kind }) => kind === 'cable');
  if (!address)
    return (
      <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />}>
        {t('pairing.cable.none')}
      </Alert>
    );
  return (
    <Stack>
      <List type="ordered" spacing="sm" styles={{ itemWrapper: { display: 'inline' } }}>
        <List.Item>{t('pairing.cable.stepConnect')}</List.Item>
        <List.Item>
          {t('pairing.cable.stepRun')}{' '}
          <Anchor href={address.appUrl} target="_blank" rel="noreferrer" underline="always">
            {t('pairing.cable.download')}
          </Anchor>
          <Copied value={COMMAND} label={t('pairing.cable.copyCommand')} />
        </List.Item>
        <List.Item>
          {t('pairing.cable.stepAddress')}
          <Copied value={address.url} label={t('pairing.copyAddress')} />
        </List.Item>
        <List.Item>{t('pairing.cable.stepCode')}</List.Item>
      </List>
      <CodePanel key={code.id} code={code} renew={renew} />
      <WaitingForPhone />
    </Stack>
  );
}
