import {
  Alert,
  Anchor,
  Box,
  Card,
  Flex,
  Group,
  NativeSelect,
  SimpleGrid,
  Stack,
  Text,
  Title,
} from '@mantine/core';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorAlert, LoadingSkeleton } from '../../../components/QueryState';
import { QrCode } from '../../../components/QrCode';
import { CodePanel } from './CodePanel';
import { Copied } from './Copied';
import { DrawnRow, DrawnSwitch, PhoneDrawing } from './PhoneDrawing';
import { type PairingCode, usePairingCode } from './use-pairing-code';
import { WaitingForPhone } from './WaitingForPhone';

type Address = PairingCode['addresses'][number];

/** Pairs the app SMS Gateway for Android: where to get it, its four steps, and the code. */
export function AppPairing() {
  const { t } = useTranslation();
  const { code, error, renew } = usePairingCode();
  if (error) return <ErrorAlert error={error} />;
  if (!code) return <LoadingSkeleton lines={6} />;
  const addresses = code.addresses.filter(({ kind }) => kind !== 'cable');
  if (addresses.length === 0)
    return (
      <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />}>
        {t(code.addresses.length === 0 ? 'pairing.app.off' : 'pairing.app.noAddress')}
      </Alert>
    );
  return <Instructions code={code} addresses={addresses} renew={renew} />;
}

function Instructions(props: {
  readonly code: PairingCode;
  readonly addresses: readonly Address[];
  readonly renew: () => void;
}) {
  const { t } = useTranslation();
  const { code, addresses, renew } = props;
  const [chosen, choose] = useState<string>();
  const address = addresses.find(({ url }) => url === chosen) ?? addresses[0];
  if (!address) return null;
  return (
    <Stack>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Download address={address} />
        <Card withBorder padding="sm">
          <Title order={3}>{t('pairing.app.typed')}</Title>
          <Text size="sm" c="dimmed" mt={4}>
            {t('pairing.app.address')}
          </Text>
          <Copied value={address.url} label={t('pairing.copyAddress')} />
          {addresses.length > 1 && (
            <NativeSelect
              mt={6}
              size="xs"
              aria-label={t('pairing.app.otherAddress')}
              value={address.url}
              onChange={({ currentTarget }) => choose(currentTarget.value)}
              data={addresses.map(({ url }) => url)}
            />
          )}
          <Text size="sm" c="dimmed" mt="sm" mb={4}>
            {t('pairing.app.code')}
          </Text>
          <CodePanel key={code.id} code={code} renew={renew} />
        </Card>
      </SimpleGrid>
      <SimpleGrid component="ol" cols={{ base: 1, sm: 2 }} p={0} m={0} style={{ listStyle: 'none' }}>
        <Step number={1} title={t('pairing.app.addressTitle')} drawing={<AddressScreen url={address.url} />}>
          {t('pairing.app.addressText')}
        </Step>
        <Step number={2} title={t('pairing.app.channelTitle')} drawing={<ChannelScreen />}>
          {t('pairing.app.channelText')}
        </Step>
        <Step number={3} title={t('pairing.app.codeTitle')} drawing={<CodeScreen />}>
          {t('pairing.app.codeText')}
        </Step>
        <Step number={4} title={t('pairing.app.permissionsTitle')} drawing={<PermissionsScreen />}>
          {t('pairing.app.permissionsText')}
        </Step>
      </SimpleGrid>
      <WaitingForPhone />
      <Text size="xs" c="dimmed">
        {t('pairing.app.origin')}
      </Text>
    </Stack>
  );
}

function Download({ address }: { readonly address: Address }) {
  const { t } = useTranslation();
  return (
    <Card withBorder padding="sm">
      <Flex direction={{ base: 'column', xs: 'row' }} gap="sm">
        <Box style={{ flexShrink: 0 }}>
          <QrCode value={address.appUrl} label={t('pairing.app.download')} size={168} />
        </Box>
        <div style={{ minWidth: 0 }}>
          <Title order={3}>{t('pairing.app.installTitle')}</Title>
          <Text size="sm">{t('pairing.app.installText')}</Text>
          <Anchor
            href={address.appUrl}
            target="_blank"
            rel="noreferrer"
            size="sm"
            style={{ overflowWrap: 'anywhere' }}
          >
            {address.appUrl.slice(address.appUrl.lastIndexOf('/') + 1)}
          </Anchor>
          <Text size="sm" c="dimmed">
            {t(`pairing.app.${address.variant}`)}
          </Text>
        </div>
      </Flex>
    </Card>
  );
}

function Step(props: {
  readonly number: number;
  readonly title: string;
  readonly drawing: ReactNode;
  readonly children: string;
}) {
  return (
    <Card component="li" withBorder padding="sm">
      <Group wrap="nowrap" align="flex-start" gap="sm">
        {props.drawing}
        <div style={{ minWidth: 0, flexGrow: 1 }}>
          <Title order={3} mb={4}>{`${props.number}. ${props.title}`}</Title>
          <Text size="sm">{props.children}</Text>
        </div>
      </Group>
    </Card>
  );
}

/** What the drawings show: the names of the app, which are English there too. */
const APP_NAMES = {
  cloudServer: 'Cloud server',
  apiUrl: 'API URL',
  privateToken: 'Private token',
  notificationChannel: 'Notification channel',
  auto: 'Auto',
  sseOnly: 'SSE Only',
  home: 'Home',
  offline: 'Offline',
  byCode: 'By Code',
  appInfo: 'App info',
  sms: 'SMS',
  phone: 'Phone',
  battery: 'Battery',
} as const;

const AddressScreen = ({ url }: { readonly url: string }) => (
  <PhoneDrawing title={APP_NAMES.cloudServer}>
    <DrawnRow isActive label={APP_NAMES.apiUrl} value={url.replace(/^https?:\/\//, '')} />
    <DrawnRow label={APP_NAMES.privateToken} />
    <DrawnRow label={APP_NAMES.notificationChannel} />
  </PhoneDrawing>
);

const ChannelScreen = () => (
  <PhoneDrawing title={APP_NAMES.notificationChannel}>
    <DrawnRow label={APP_NAMES.auto} />
    <DrawnRow isActive label={APP_NAMES.sseOnly} mark={<IconCheck size={12} />} />
  </PhoneDrawing>
);

const CodeScreen = () => (
  <PhoneDrawing title={APP_NAMES.home}>
    <DrawnRow label={APP_NAMES.cloudServer} mark={<DrawnSwitch />} />
    <DrawnRow label={APP_NAMES.offline} />
    <DrawnRow isActive label={APP_NAMES.byCode} value="••••••••••" />
  </PhoneDrawing>
);

const PermissionsScreen = () => (
  <PhoneDrawing title={APP_NAMES.appInfo}>
    <DrawnRow isActive label={APP_NAMES.sms} mark={<IconCheck size={12} />} />
    <DrawnRow isActive label={APP_NAMES.phone} mark={<IconCheck size={12} />} />
    <DrawnRow isActive label={APP_NAMES.battery} value="Unrestricted" mark={<IconCheck size={12} />} />
  </PhoneDrawing>
);
