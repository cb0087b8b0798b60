import { ActionIcon, Menu, Skeleton } from '@mantine/core';
import { IconUserCircle } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';

const AccountMenuItems = lazy(() => import('./AccountMenuItems'));

/** Preferences of this browser, and signing out. Its items load when it opens. */
export function AccountMenu() {
  const { t } = useTranslation();
  return (
    <Menu width={280} position="bottom-end" closeOnItemClick={false} trapFocus>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('shell.accountMenu')}>
          <IconUserCircle size={22} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Suspense fallback={<Skeleton height={260} />}>
          <AccountMenuItems />
        </Suspense>
      </Menu.Dropdown>
    </Menu>
  );
}
