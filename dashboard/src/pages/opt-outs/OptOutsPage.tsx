import { Button, Grid } from '@mantine/core';
import { IconBan } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { getConsentSettingsOptions } from '../../../generated/@tanstack/react-query.gen';
import { BlockModal } from '../../components/blocks/BlockModals';
import { PageHeader } from '../../components/PageHeader';
import { QueryState } from '../../components/QueryState';
import { AskOwner } from './AskOwner';
import { BlockList } from './BlockList';
import { SettingsForm } from './SettingsForm';

/** Who wants no more messages, and how texts such as STOP are understood. */
export default function OptOutsPage() {
  const { t } = useTranslation();
  const settings = useQuery(getConsentSettingsOptions());
  const [isBlocking, setBlocking] = useState(false);
  return (
    <>
      <PageHeader
        title={t('optOuts.title')}
        description={t('optOuts.description')}
        actions={
          <Button leftSection={<IconBan size={18} aria-hidden />} onClick={() => setBlocking(true)}>
            {t('blocks.addAny')}
          </Button>
        }
      />
      <QueryState query={settings} lines={8}>
        {({ data }) => (
          <>
            {!data.enabled && <AskOwner asked={data.asked} />}
            <Grid>
              <Grid.Col span={{ base: 12, lg: 7 }}>
                <BlockList />
              </Grid.Col>
              <Grid.Col span={{ base: 12, lg: 5 }}>
                {/* What another window has saved begins another form. */}
                <SettingsForm key={JSON.stringify(data)} stored={data} />
              </Grid.Col>
            </Grid>
          </>
        )}
      </QueryState>
      {isBlocking && <BlockModal onClose={() => setBlocking(false)} />}
    </>
  );
}
