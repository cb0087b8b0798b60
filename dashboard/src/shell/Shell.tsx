import {
  Anchor,
  AppShell,
  Badge,
  Burger,
  Divider,
  Group,
  NavLink,
  Text,
  UnstyledButton,
} from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { listConversationsOptions, whoAmIOptions } from '../../generated/@tanstack/react-query.gen';
import { startLiveUpdates } from '../api/live';
import { loadCatalogues } from '../i18n';
import { useBrowserNotices } from '../preferences/browser-notices';
import { Logo } from './Logo';
import { AccountMenu } from './navigation/AccountMenu';
import { pageGroupsFor } from './navigation/pages';
import classes from './Shell.module.css';

/** More are not counted. */
const MAX_UNREAD = 9;

const CommandPalette = lazy(async () => {
  const [palette] = await Promise.all([import('./palette/CommandPalette'), loadCatalogues(['palette'])]);
  return palette;
});

const BrowserNotices = lazy(async () => {
  const [notices] = await Promise.all([import('./notices/BrowserNotices'), loadCatalogues(['problems'])]);
  return notices;
});

/** Everything around a page: header, navigation, command palette, live updates. */
export function Shell() {
  const { t } = useTranslation();
  const [isOpen, { toggle, close }] = useDisclosure();
  // Undefined until it is used: it loads when it opens for the first time.
  const [isPaletteOpen, setPaletteOpen] = useState<boolean>();
  const [areNoticesOn] = useBrowserNotices();
  const queries = useQueryClient();
  const { data: account } = useSuspenseQuery(whoAmIOptions());
  const path = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(() => startLiveUpdates(queries), [queries]);
  useEffect(close, [path, close]);
  const openPalette = () => {
    // What is asked there would stay behind the palette, and keep the focus.
    if (!document.querySelector('[aria-modal="true"]')) setPaletteOpen(true);
  };
  useHotkeys([
    ['/', openPalette],
    ['mod+K', openPalette],
  ]);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 224, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'sm', sm: 'lg' }}
    >
      <Anchor href="#content" className={classes.skip}>
        {t('shell.skipToContent')}
      </Anchor>
      <AppShell.Header className={classes.bar}>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={t('shell.openNavigation')}
            />
            <Link to="/" className={classes.brand} aria-label={t('shell.product')}>
              <Logo />
              <Text component="span" fw={700} visibleFrom="xs">
                {t('shell.product')}
              </Text>
            </Link>
          </Group>
          <Group gap="sm" wrap="nowrap">
            <UnstyledButton className={classes.search} onClick={openPalette}>
              <IconSearch size={16} aria-hidden />
              <Text component="span" size="sm" visibleFrom="xs">
                {t('shell.paletteHint')}
              </Text>
              <Text component="span" size="sm" hiddenFrom="xs">
                {t('common.search')}
              </Text>
            </UnstyledButton>
            <AccountMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar
        className={`${classes.bar} ${classes.navigation}`}
        p="xs"
        aria-label={t('shell.navigation')}
      >
        {pageGroupsFor(account.data).map((pages, group) => (
          <div key={group}>
            {group > 0 && <Divider my={6} />}
            {pages.map(({ to, name, icon: Icon }) => (
              <NavLink
                key={to}
                renderRoot={(props) => <Link to={to} {...props} />}
                label={t(`shell.pages.${name}`)}
                rightSection={name === 'conversations' && <UnreadBadge />}
                leftSection={<Icon size={18} stroke={1.7} aria-hidden />}
                active={to === '/' ? path === '/' : path.startsWith(to)}
                className={classes.link}
              />
            ))}
          </div>
        ))}
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} className={classes.main}>
        <div className={classes.page}>
          <Outlet />
        </div>
      </AppShell.Main>
      <Suspense>{areNoticesOn && <BrowserNotices />}</Suspense>
      <Suspense>
        {isPaletteOpen !== undefined && (
          <CommandPalette isOpen={isPaletteOpen} onClose={() => setPaletteOpen(false)} />
        )}
      </Suspense>
    </AppShell>
  );
}

/** Conversations with messages that nobody has read. */
function UnreadBadge() {
  const { t } = useTranslation();
  const unread = useQuery(listConversationsOptions({ query: { unread: 'true', limit: MAX_UNREAD } })).data;
  if (!unread || unread.data.length === 0) return null;
  const count = unread.data.length;
  return (
    <Badge size="sm" circle={!unread.meta.hasMore} role="img" aria-label={t('shell.unread', { count })}>
      {unread.meta.hasMore ? `${count}+` : count}
    </Badge>
  );
}
