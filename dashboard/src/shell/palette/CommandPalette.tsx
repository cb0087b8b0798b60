import '@mantine/spotlight/styles.css';
import { Loader, Text } from '@mantine/core';
import { createSpotlight, Spotlight } from '@mantine/spotlight';
import {
  IconDeviceMobile,
  IconMessage2,
  IconMessages,
  IconSearch,
  IconSend,
  type TablerIcon,
} from '@tabler/icons-react';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { MessageResponse } from '../../../generated';
import { listDevicesOptions, whoAmIOptions } from '../../../generated/@tanstack/react-query.gen';
import { shownStatusOf } from '../../components/message-status';
import { deviceName } from '../../api/senders';
import { errorText } from '../../components/notify';
import { useTimeFormat } from '../../components/Time';
import { pageGroupsFor } from '../navigation/pages';
import classes from './CommandPalette.module.css';
import { matches, MIN_SEARCH_CHARACTERS, numberIn } from './matches';
import { useActions } from './use-actions';
import { MAX_FOUND, useFound } from './use-found';

const [store, spotlight] = createSpotlight();

/** Of a text or a name, so that a long one does not fill the list. */
const MAX_SHOWN_CHARACTERS = 200;

interface Entry {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  readonly icon: TablerIcon;
  readonly run: () => void;
}

interface EntryGroup {
  readonly label: string;
  readonly entries: readonly Entry[];
}

/** Finds pages, actions, phones, conversations and messages, by keyboard alone. */
export default function CommandPalette(props: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState('');
  const { isOpen, onClose } = props;
  useEffect(() => {
    if (isOpen) spotlight.open();
  }, [isOpen]);
  return (
    <Spotlight.Root
      store={store}
      query={typed}
      onQueryChange={setTyped}
      onSpotlightClose={onClose}
      shortcut={null}
      attributes={{ content: { 'aria-label': t('palette.label') } }}
      scrollable
      maxHeight="min(560px, 80dvh)"
    >
      <Spotlight.Search
        aria-label={t('palette.label')}
        placeholder={t('palette.placeholder')}
        leftSection={<IconSearch size={18} aria-hidden />}
      />
      {isOpen && <Results query={typed.trim()} />}
    </Spotlight.Root>
  );
}

function Results({ query }: { readonly query: string }) {
  const { t } = useTranslation();
  const { isSearching, error, ...found } = useFound(query);
  const results = [
    ...useOwnEntries(query),
    { label: t('palette.conversations'), entries: useConversationEntries(found.conversations) },
    { label: t('palette.messages'), entries: useMessageEntries(found.messages) },
  ].filter(({ entries }) => entries.length > 0);
  const more = { label: t('palette.more'), entries: useSearchEntries(query) };
  // Last, so that it is not selected before what is still looked for.
  const groups = isSearching || more.entries.length === 0 ? results : [...results, more];
  const ids = groups.flatMap(({ entries }) => entries.map(({ id }) => id)).join(' ');
  useEffect(keepSelection, [ids]);
  return (
    <>
      <Text size="sm" c="dimmed" role="status" className={classes.status}>
        {isSearching && (
          <>
            <Loader size={12} mr={8} />
            {t('palette.searching')}
          </>
        )}
        {error && <span className="outside-text">{errorText(error)}</span>}
        {results.length === 0 &&
          !isSearching &&
          !error &&
          t('palette.nothingFound', { query: shortened(query) })}
      </Text>
      {groups.length > 0 && (
        <Spotlight.ActionsList>
          {groups.map(({ label, entries }) => (
            <Spotlight.ActionsGroup key={label} label={label}>
              {entries.map(({ id, icon: Icon, run, ...shown }) => (
                <Spotlight.Action
                  key={id}
                  {...shown}
                  classNames={classes}
                  highlightQuery
                  leftSection={<Icon size={18} aria-hidden />}
                  onClick={run}
                />
              ))}
            </Spotlight.ActionsGroup>
          ))}
        </Spotlight.ActionsList>
      )}
    </>
  );
}

/** What is found after a pause may stand before the entry that is selected, or replace it. */
function keepSelection(): void {
  const entries = [
    ...(document.getElementById(store.getState().listId)?.querySelectorAll('[data-action]') ?? []),
  ];
  const selected = Math.max(
    entries.findIndex((entry) => entry.hasAttribute('data-selected')),
    0,
  );
  entries[selected]?.setAttribute('data-selected', 'true');
  store.updateState((state) => ({ ...state, selected }));
}

/** What the page knows by itself: actions, pages and phones. */
function useOwnEntries(query: string): EntryGroup[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { data: account } = useSuspenseQuery(whoAmIOptions());
  const devices = useQuery(listDevicesOptions()).data?.data ?? [];
  const actions = useActions();
  const number = numberIn(query);
  const sendTo: Entry[] =
    number === undefined
      ? []
      : [
          {
            id: 'send-to',
            label: t('palette.sendTo', { number }),
            icon: IconSend,
            run: () => void navigate({ to: '/send', search: { to: number } }),
          },
        ];
  const pages = pageGroupsFor(account.data)
    .flat()
    .map(({ to, name, icon }) => ({
      id: to,
      label: t(`shell.pages.${name}`),
      icon,
      run: () => void navigate({ to }),
    }));
  const phones =
    query === '' ? [] : devices.filter((device) => matches(query, [deviceName(device), device.model]));
  return [
    {
      label: t('palette.actions'),
      entries: [
        ...sendTo,
        ...actions
          .filter(({ isRare }) => query !== '' || !isRare)
          .filter(({ label, keywords }) => matches(query, [label, keywords]))
          .map(({ id, label, icon, run }) => ({ id, label, icon, run })),
      ],
    },
    { label: t('palette.pages'), entries: pages.filter(({ label }) => matches(query, [label])) },
    {
      label: t('palette.phones'),
      entries: phones.slice(0, MAX_FOUND).map((device) => ({
        id: device._id,
        label: deviceName(device),
        description: device.isVirtual ? t('palette.virtualPhone') : device.model,
        icon: IconDeviceMobile,
        run: () => void navigate({ to: '/phones/$id', params: { id: device._id } }),
      })),
    },
  ];
}

function useConversationEntries(found: ReturnType<typeof useFound>['conversations']): Entry[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  return found.map(({ number, lastMessage, note }) => ({
    id: `conversation-${number}`,
    label: number,
    description: shortened(note ?? (lastMessage.encrypted ? t('palette.encrypted') : lastMessage.message)),
    icon: IconMessages,
    run: () => void navigate({ to: '/conversations/$number', params: { number } }),
  }));
}

function useMessageEntries(found: readonly MessageResponse[]): Entry[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { short } = useTimeFormat();
  return found.map((message) => ({
    id: message._id,
    label: shortened(message.encrypted ? t('palette.encrypted') : message.message),
    description: [
      message.direction === 'received'
        ? t('palette.fromNumber', { number: message.sender })
        : t('palette.toNumber', { number: message.recipient }),
      t(`common.status.${shownStatusOf(message)}`),
      short(message.createdAt),
    ].join(' · '),
    icon: IconMessage2,
    run: () => void navigate({ to: '/messages/$id', params: { id: message._id } }),
  }));
}

/** Where there may be more than is shown. */
function useSearchEntries(query: string): Entry[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  if (query.length < MIN_SEARCH_CHARACTERS) return [];
  return [
    {
      id: 'all-messages',
      label: t('palette.searchMessages', { query: shortened(query) }),
      icon: IconSearch,
      run: () => void navigate({ to: '/messages', search: { search: query } }),
    },
  ];
}

const shortened = (text: string | undefined): string => {
  const characters = Array.from((text ?? '').slice(0, 2 * MAX_SHOWN_CHARACTERS));
  return characters.length > MAX_SHOWN_CHARACTERS
    ? `${characters.slice(0, MAX_SHOWN_CHARACTERS).join('')}…`
    : characters.join('');
};
