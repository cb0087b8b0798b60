import {
  Badge,
  Button,
  Card,
  Center,
  CloseButton,
  Group,
  Select,
  Stack,
  Text,
  TextInput,
  UnstyledButton,
} from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconAddressBook, IconSearch } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { listContactsInfiniteOptions, listListsOptions } from '../../../generated/@tanstack/react-query.gen';
import { EmptyState } from '../../components/EmptyState';
import { QueryState } from '../../components/QueryState';
import { type Contact, titleOf } from '../../components/contacts/contact';
import classes from './Contacts.module.css';

const PAGE_SIZE = 50;
const MAX_SEARCH = 256;

interface Filters {
  readonly search?: string;
  readonly tag?: string;
  readonly listId?: string;
}

/** Reads the filters of the address, in which anything may be written; the router reads some texts as numbers. */
function filtersOf(search: Readonly<Record<string, unknown>>): Filters {
  const text = (name: string) => {
    const value = search[name];
    return typeof value === 'string' || typeof value === 'number'
      ? String(value).slice(0, MAX_SEARCH)
      : undefined;
  };
  return { search: text('search'), tag: text('tag'), listId: text('listId') };
}

/** The contacts by name, with a search and filters. */
export function ContactList({ onAdd }: { readonly onAdd: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const filters = filtersOf(useSearch({ strict: false }));
  const { search, tag, listId } = filters;
  const [typed, setTyped] = useState(search ?? '');
  const change = (changed: Filters) =>
    void navigate({ to: '/contacts', search: { ...filters, ...changed }, replace: true });
  const look = useDebouncedCallback((text: string) => change({ search: text.trim() || undefined }), 300);
  const type = (text: string) => {
    setTyped(text);
    look(text);
  };
  const lists = useQuery(listListsOptions());
  const query = useInfiniteQuery({
    ...listContactsInfiniteOptions({
      query: {
        limit: PAGE_SIZE,
        ...(search && { search }),
        ...(tag && { tag }),
        ...(listId && { listId }),
      },
    }),
    initialPageParam: {},
    getNextPageParam: ({ meta }) => meta.nextCursor ?? undefined,
  });
  const { fetchNextPage, hasNextPage, isFetchingNextPage, data } = query;
  const pages = (data as Partial<typeof data> | undefined)?.pages ?? [];
  const shown = pages.flatMap(({ data: contacts }) => contacts);
  const isFiltered = Boolean(search ?? tag ?? listId);
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <TextInput
          aria-label={t('contacts.search')}
          placeholder={t('contacts.search')}
          leftSection={<IconSearch size={16} aria-hidden />}
          rightSection={
            typed && <CloseButton aria-label={t('contacts.clearSearch')} onClick={() => type('')} />
          }
          maxLength={MAX_SEARCH}
          w={{ base: '100%', xs: 300 }}
          value={typed}
          onChange={(event) => type(event.currentTarget.value)}
        />
        <Select
          aria-label={t('contacts.list')}
          placeholder={t('contacts.anyList')}
          clearable
          searchable
          w={{ base: '100%', xs: 220 }}
          data={(lists.data?.data ?? []).map(({ _id, name }) => ({ value: _id, label: name }))}
          value={listId ?? null}
          onChange={(value) => change({ listId: value ?? undefined })}
        />
        {tag && (
          <Badge
            variant="light"
            size="lg"
            tt="none"
            rightSection={
              <CloseButton
                size="xs"
                aria-label={t('contacts.removeTagFilter')}
                onClick={() => change({ tag: undefined })}
              />
            }
          >
            <span className="outside-text">{t('contacts.tagFilter', { tag })}</span>
          </Badge>
        )}
      </Group>
      <QueryState query={query} lines={8}>
        {() =>
          shown.length > 0 ? (
            <Card padding={0}>
              <ul className={classes.list} aria-label={t('contacts.contactsTab')}>
                {shown.map((contact) => (
                  <li key={contact._id}>
                    <Entry contact={contact} onTag={(chosen) => change({ tag: chosen })} />
                  </li>
                ))}
              </ul>
            </Card>
          ) : isFiltered ? (
            <Text c="dimmed" role="status">
              {t('contacts.nothingFound')}
            </Text>
          ) : (
            <EmptyState
              icon={<IconAddressBook aria-hidden />}
              title={t('contacts.emptyTitle')}
              text={t('contacts.emptyText')}
              action={<Button onClick={onAdd}>{t('contacts.add')}</Button>}
            />
          )
        }
      </QueryState>
      {hasNextPage && (
        <Center>
          <Button variant="subtle" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t('contacts.more')}
          </Button>
        </Center>
      )}
    </Stack>
  );
}

function Entry(props: { readonly contact: Contact; readonly onTag: (tag: string) => void }) {
  const { contact, onTag } = props;
  const { _id: id, name, numbers, tags } = contact;
  return (
    <div className={classes.entry}>
      <Link to="/contacts/$id" params={{ id }} className={classes.link}>
        <Text fw={500} className="outside-text numeric" lineClamp={1}>
          {titleOf(contact)}
        </Text>
        {name !== '' && (
          <Text size="sm" c="dimmed" className="outside-text numeric" lineClamp={1}>
            {numbers.map(({ number }) => number).join(', ')}
          </Text>
        )}
      </Link>
      {tags.length > 0 && (
        <Group gap={4} className={classes.tags}>
          {tags.slice(0, 4).map((tag) => (
            <UnstyledButton key={tag} onClick={() => onTag(tag)} maw="100%">
              <Badge variant="light" color="gray" tt="none" style={{ cursor: 'pointer' }}>
                <span className="outside-text">{tag}</span>
              </Badge>
            </UnstyledButton>
          ))}
        </Group>
      )}
    </div>
  );
}
