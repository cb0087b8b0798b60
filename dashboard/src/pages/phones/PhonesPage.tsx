import { Button, SimpleGrid } from '@mantine/core';
import { IconDeviceMobile, IconQrcode } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import {
  getQueueOptions,
  listDevicesOptions,
  listSimsOptions,
} from '../../../generated/@tanstack/react-query.gen';
import { EmptyState } from '../../components/EmptyState';
import { PageHeader } from '../../components/PageHeader';
import { QueryState } from '../../components/QueryState';
import { PairingModal } from './pairing/PairingModal';
import { byUrgency } from './phone';
import { PhoneCard } from './PhoneCard';
import { useSearchParam } from './search-param';

export default function PhonesPage() {
  const { t, i18n } = useTranslation();
  const [isPairing, setPairing] = useSearchParam('pair');
  const devices = useQuery(listDevicesOptions());
  const sims = useQuery(listSimsOptions());
  const queue = useQuery(getQueueOptions());
  const count = devices.data?.data.length ?? 0;
  const pair = (
    <Button leftSection={<IconQrcode size={18} aria-hidden />} onClick={() => setPairing(true)}>
      {t('phones.pair.action')}
    </Button>
  );
  return (
    <>
      <PageHeader
        title={t('phones.title')}
        description={count > 0 && t('phones.summary', { count })}
        actions={count > 0 && pair}
      />
      <QueryState query={devices}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState
              icon={<IconDeviceMobile aria-hidden />}
              title={t('phones.emptyTitle')}
              text={t('phones.emptyText')}
              action={pair}
            />
          ) : (
            <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }}>
              {byUrgency(data, i18n.language).map((device) => (
                <PhoneCard
                  key={device._id}
                  device={device}
                  sims={sims.data?.data ?? []}
                  queue={queue.data?.data}
                />
              ))}
            </SimpleGrid>
          )
        }
      </QueryState>
      {isPairing && <PairingModal onClose={() => setPairing(undefined)} />}
    </>
  );
}
