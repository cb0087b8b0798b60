import { Button, SimpleGrid } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconDeviceMobile, IconQrcode } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import {
  getQueueOptions,
  listDevicesOptions,
  listSimsOptions,
} from '../../../generated/@tanstack/react-query.gen';
import { EmptyState } from '../../components/EmptyState';
import { PageHeader } from '../../components/PageHeader';
import { byUrgency, type Device, type Queue, type Sim } from '../../components/phones/phone';
import { QueryState } from '../../components/QueryState';
import { useSearchParam } from '../../components/search-param';
import { loadCatalogues } from '../../i18n';
import { PhoneCard } from './PhoneCard';
import { PhoneTable } from './PhoneTable';

const MIN_TABLE_ROWS = 6;

const PairingModal = lazy(async () => {
  const [modal] = await Promise.all([import('./pairing/PairingModal'), loadCatalogues(['pairing'])]);
  return modal;
});

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
        actions={
          count > 0 && (
            <>
              <Button variant="default" renderRoot={(props) => <Link to="/loop-test" {...props} />}>
                {t('phones.loopTest')}
              </Button>
              {pair}
            </>
          )
        }
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
            <PhoneList
              devices={byUrgency(data, i18n.language)}
              sims={sims.data?.data ?? []}
              queue={queue.data?.data}
            />
          )
        }
      </QueryState>
      {isPairing && (
        <Suspense>
          <PairingModal onClose={() => setPairing(undefined)} />
        </Suspense>
      )}
    </>
  );
}

/** Cards say more of each phone, a table shows more phones at once; it needs a wide window. */
function PhoneList(props: {
  readonly devices: readonly Device[];
  readonly sims: readonly Sim[];
  readonly queue: Queue | undefined;
}) {
  const { devices, ...context } = props;
  const isWide = useMediaQuery('(min-width: 62em)', undefined, { getInitialValueInEffect: false });
  if (isWide && devices.length >= MIN_TABLE_ROWS) return <PhoneTable devices={devices} {...context} />;
  return (
    <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }}>
      {devices.map((device) => (
        <PhoneCard key={device._id} device={device} {...context} />
      ))}
    </SimpleGrid>
  );
}
