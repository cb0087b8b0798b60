import {
  Anchor,
  Badge,
  Button,
  Card,
  Center,
  Group,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SuppressionResponse } from '../../../generated';
import { listSuppressionsInfiniteOptions } from '../../../generated/@tanstack/react-query.gen';
import { HeldButtons, LiftModal } from '../../components/blocks/BlockModals';
import { BlockText } from '../../components/blocks/BlockText';
import { QueryState } from '../../components/QueryState';
import { useSearchParam } from '../../components/search-param';
import { useTimeFormat } from '../../components/Time';

const STATES = ['all', 'out', 'held'] as const;
const PAGE_SIZE = 50;

/** The blocked numbers, the latest first. */
export function BlockList() {
  const { t } = useTranslation();
  const [searched, setSearched] = useSearchParam('number');
  const [chosen, setChosen] = useSearchParam('state');
  const state = STATES.find((each) => each === chosen) ?? 'all';
  const number = typeof searched === 'string' ? searched : '';
  const [typed, setTyped] = useState(number);
  const look = useDebouncedCallback((text: string) => setSearched(text.trim() || undefined), 300);
  const query = useInfiniteQuery({
    ...listSuppressionsInfiniteOptions({
      query: { limit: PAGE_SIZE, ...(number && { number }), ...(state !== 'all' && { state }) },
    }),
    initialPageParam: {},
    getNextPageParam: ({ meta }) => meta.nextCursor ?? undefined,
  });
  const { data, fetchNextPage, hasNextPage, isFetching } = query;
  const pages = (data as Partial<typeof data> | undefined)?.pages ?? [];
  const blocks = pages.flatMap((page) => page.data);
  return (
    <Card component="section" aria-label={t('optOuts.list')}>
      <Title order={2} mb="sm">
        {t('optOuts.list')}
      </Title>
      <Stack gap="sm">
        <Group gap="xs">
          <TextInput
            aria-label={t('optOuts.search')}
            placeholder={t('optOuts.search')}
            leftSection={<IconSearch size={16} aria-hidden />}
            type="search"
            inputMode="tel"
            flex={1}
            miw={180}
            value={typed}
            onChange={({ currentTarget }) => {
              setTyped(currentTarget.value);
              look(currentTarget.value);
            }}
          />
          <SegmentedControl
            size="xs"
            aria-label={t('optOuts.state')}
            value={state}
            onChange={(value) => setChosen(value === 'all' ? undefined : value)}
            data={STATES.map((value) => ({ value, label: t(`optOuts.states.${value}`) }))}
          />
        </Group>
        <QueryState query={query} lines={6}>
          {() =>
            blocks.length === 0 ? (
              <Text c="dimmed" role="status">
                {t(number || state !== 'all' ? 'optOuts.nothingFound' : 'optOuts.nobody')}
              </Text>
            ) : (
              <Stack component="ul" gap="md" p={0} m={0} style={{ listStyle: 'none' }}>
                {blocks.map((block) => (
                  <li key={block._id}>
                    <Block block={block} />
                  </li>
                ))}
              </Stack>
            )
          }
        </QueryState>
        {hasNextPage && (
          <Center>
            <Button variant="subtle" loading={isFetching} onClick={() => void fetchNextPage()}>
              {t('optOuts.more')}
            </Button>
          </Center>
        )}
      </Stack>
    </Card>
  );
}

function Block({ block }: { readonly block: SuppressionResponse }) {
  const { t } = useTranslation();
  const [isLifting, setLifting] = useState(false);
  const { number, state, contact } = block;
  return (
    <Stack gap={4} align="flex-start">
      <Group gap="xs">
        <Anchor
          fw={600}
          className="outside-text numeric"
          renderRoot={(root) => <Link to="/conversations/$number" params={{ number }} {...root} />}
        >
          {contact?.name || number}
        </Anchor>
        {contact?.name && (
          <Text size="sm" c="dimmed" className="numeric">
            {number}
          </Text>
        )}
        <Badge color={state === 'out' ? 'red' : 'yellow'} variant="light" tt="none">
          {t(`blocks.${state}`)}
        </Badge>
      </Group>
      <BlockText block={block} />
      <Confirmation block={block} />
      {state === 'held' ? (
        <HeldButtons block={block} />
      ) : (
        <Button size="compact-sm" variant="default" onClick={() => setLifting(true)}>
          {t('blocks.lift')}
        </Button>
      )}
      {isLifting && <LiftModal block={block} onClose={() => setLifting(false)} />}
    </Stack>
  );
}

function Confirmation({ block: { confirmation } }: { readonly block: SuppressionResponse }) {
  const { t } = useTranslation();
  const { short } = useTimeFormat();
  if (!confirmation || confirmation.state === 'waiting') return null;
  return (
    <Text size="xs" c="dimmed" className="outside-text">
      {confirmation.state === 'accepted'
        ? t('blocks.confirmed', { time: short(confirmation.at) })
        : t('blocks.notConfirmed', { reason: confirmation.reason })}
    </Text>
  );
}
