import { Button, Card, Group, SegmentedControl, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { listApiKeysOptions } from '../../../generated/@tanstack/react-query.gen';
import { EmptyState } from '../../components/EmptyState';
import { PageHeader } from '../../components/PageHeader';
import { QueryState } from '../../components/QueryState';
import { useSearchParam } from '../../components/search-param';
import { ApiKeyTable } from './ApiKeyTable';
import { CreateKeyModal } from './CreateKeyModal';
import { KindBadge, KINDS } from './KindBadge';

const STATUSES = ['active', 'revoked'] as const;

/** The keys that open the account, with what each kind opens. */
export default function ApiKeysPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const search: { status?: unknown } = useSearch({ strict: false });
  const [isAdding, setAdding] = useSearchParam('new');
  const status = STATUSES.find((each) => each === search.status) ?? 'active';
  const keys = useQuery(listApiKeysOptions({ query: { status } }));
  const add = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAdding(true)}>
      {t('apiKeys.add')}
    </Button>
  );
  return (
    <>
      <PageHeader title={t('apiKeys.title')} description={t('apiKeys.description')} actions={add} />
      <Stack gap="lg">
        <section aria-label={t('apiKeys.kinds')}>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            {KINDS.map((kind) => (
              <Card key={kind}>
                <Group gap="xs" mb={6}>
                  <KindBadge kind={kind} />
                </Group>
                <Text size="sm">{t(`apiKeys.opens.${kind}`)}</Text>
              </Card>
            ))}
          </SimpleGrid>
        </section>
        <Stack gap="sm">
          <Group justify="space-between">
            <Title order={2}>{t('apiKeys.title')}</Title>
            <SegmentedControl
              aria-label={t('apiKeys.filter')}
              data={STATUSES.map((value) => ({ value, label: t(`apiKeys.${value}`) }))}
              value={status}
              onChange={(to) => void navigate({ to: '.', search: to === 'active' ? {} : { status: to } })}
            />
          </Group>
          <QueryState query={keys}>
            {({ data }) => {
              if (data.length > 0) return <ApiKeyTable keys={data} />;
              return status === 'revoked' ? (
                <Text c="dimmed">{t('apiKeys.noneRevoked')}</Text>
              ) : (
                <EmptyState
                  icon={<IconKey size={30} aria-hidden />}
                  title={t('apiKeys.empty.title')}
                  text={t('apiKeys.empty.text')}
                  action={<Button onClick={() => setAdding(true)}>{t('apiKeys.form.submit')}</Button>}
                />
              );
            }}
          </QueryState>
        </Stack>
      </Stack>
      {isAdding && <CreateKeyModal onClose={() => setAdding(undefined)} />}
    </>
  );
}
