import { Alert, Group, Modal, Radio, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconBrandAndroid, IconFlask, IconQrcode, IconUsb } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { listDevicesOptions } from '../../../../generated/@tanstack/react-query.gen';
import { useIsNarrow } from '../../../components/use-is-narrow';
import { AppPairing } from './AppPairing';
import { CablePairing } from './CablePairing';
import { OwnAppPairing } from './OwnAppPairing';

const WAYS = { app: IconBrandAndroid, cable: IconUsb, own: IconQrcode } as const;
type Way = keyof typeof WAYS;

const isWay = (name: string): name is Way => name in WAYS;

/** The three ways to pair a phone. Each turns to the phone by itself. */
export default function PairingModal({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation();
  const [way, setWay] = useState<Way>('app');
  const isNarrow = useIsNarrow();
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('pairing.title')}
      size={960}
      fullScreen={isNarrow}
      closeOnClickOutside={false}
    >
      <Stack>
        <TrialAlert />
        <Radio.Group
          aria-label={t('pairing.ways')}
          value={way}
          onChange={(name) => isWay(name) && setWay(name)}
        >
          <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
            {Object.keys(WAYS)
              .filter(isWay)
              .map((name) => (
                <WayCard key={name} way={name} isChosen={name === way} />
              ))}
          </SimpleGrid>
        </Radio.Group>
        {way === 'app' && <AppPairing />}
        {way === 'cable' && <CablePairing />}
        {way === 'own' && <OwnAppPairing onClose={onClose} />}
      </Stack>
    </Modal>
  );
}

function WayCard({ way, isChosen }: { readonly way: Way; readonly isChosen: boolean }) {
  const { t } = useTranslation();
  const Icon = WAYS[way];
  return (
    <Radio.Card
      value={way}
      p="sm"
      radius="md"
      {...(isChosen && { 'data-autofocus': true })}
      aria-label={t(`pairing.${way}.title`)}
      style={isChosen ? { borderColor: 'var(--mantine-primary-color-filled)' } : undefined}
    >
      <Group wrap="nowrap" gap="sm" align="flex-start">
        <Radio.Indicator mt={2} />
        <div>
          <Group gap={6} wrap="nowrap">
            <Icon size={18} aria-hidden style={{ flexShrink: 0 }} />
            <Text fw={600}>{t(`pairing.${way}.title`)}</Text>
          </Group>
          <Text size="sm" c="dimmed" visibleFrom="sm">
            {t(`pairing.${way}.summary`)}
          </Text>
        </div>
      </Group>
    </Radio.Card>
  );
}

/** Until a real phone is there. */
function TrialAlert() {
  const { t } = useTranslation();
  const devices = useQuery(listDevicesOptions()).data?.data;
  if (!devices || devices.some(({ isVirtual }) => !isVirtual)) return null;
  return (
    <Alert color="blue" icon={<IconFlask aria-hidden />} p="xs">
      {t('pairing.trial')}
    </Alert>
  );
}
