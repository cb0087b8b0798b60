import {
  Anchor,
  AppShell,
  Badge,
  Burger,
  Divider,
  Group,
  NavLink,
  ScrollArea,
  Text,
  UnstyledButton,
} from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { listConversationsOptions, whoAmIOptions } from '../../generated/@tanstack/react-query.gen';
import { startLiveUpdates } from '../api/live';
import { AccountMenu } from './AccountMenu';
import { Logo } from './Logo';
import { PAGE_GROUPS } from './pages';
import classes from './Shell.module.css';

/** More are not counted. */
const MAX_UNREAD = 9;

const CommandPalette = lazy(() => import('./CommandPalette'));

/** Everything around a page: header, navigation, command palette, live updates. */
export function Shell() {
  const { t } = useTranslation();
  const [isOpen, { toggle, close }] = useDisclosure();
  const [isPaletteOpen, palette] = useDisclosure();
  const queries = useQueryClient();
  const { data: account } = useSuspenseQuery(whoAmIOptions());
  const path = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(() => startLiveUpdates(queries), [queries]);
  useEffect(close, [path, close]);
  useHotkeys([['/', palette.open]]);
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
            <UnstyledButton className={classes.search} onClick={palette.open}>
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
      <AppShell.Navbar className={classes.bar} p="xs" aria-label={t('shell.navigation')}>
        <ScrollArea type="auto">
          {PAGE_GROUPS.map((pages, group) => (
            <div key={pages[0].to}>
              {group > 0 && <Divider my={6} />}
              {pages
                .filter((page) => !('forOperators' in page) || isOperator(account.data))
                .map(({ to, name, icon: Icon }) => (
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
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} className={classes.main}>
        <div className={classes.page}>
          <Outlet />
        </div>
      </AppShell.Main>
      <Suspense>{isPaletteOpen && <CommandPalette onClose={palette.close} />}</Suspense>
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

const isOperator = (account: object) => 'operator' in account && account.operator === true;
