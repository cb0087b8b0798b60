import { Menu, SegmentedControl, Select, Stack, Text, useMantineColorScheme } from '@mantine/core';
import { IconBook2, IconLogout, IconUserCircle } from '@tabler/icons-react';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { whoAmIOptions } from '../../../generated/@tanstack/react-query.gen';
import { BASE_PATH } from '../../api/base-path';
import { changeLanguage, keepLanguage, type Language, LANGUAGES } from '../../i18n';
import { TIME_ZONES, useTimeZone } from '../../preferences/time-zone';
import { AccountMenuButton } from './AccountMenuButton';
import { useSignOut } from './use-sign-out';

const LANGUAGE_CHOICES = Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }));

export default function AccountMenuDropdown() {
  const { t, i18n } = useTranslation();
  const { data: account } = useSuspenseQuery(whoAmIOptions());
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [timeZone, setTimeZone] = useTimeZone();
  const signOut = useSignOut();
  return (
    <Menu width={280} position="bottom-end" closeOnItemClick={false} trapFocus defaultOpened>
      <Menu.Target>
        <AccountMenuButton />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" fw={600} truncate>
            {account.data.name}
          </Text>
          <Text size="xs" truncate>
            {account.data.email}
          </Text>
        </Menu.Label>
        <Stack gap="xs" px="sm" py="xs">
          <div>
            <Text size="xs" c="dimmed" mb={4} id="color-scheme-label">
              {t('shell.colorScheme')}
            </Text>
            <SegmentedControl
              fullWidth
              size="xs"
              aria-labelledby="color-scheme-label"
              value={colorScheme}
              onChange={(value) => setColorScheme(value)}
              data={[
                { value: 'light', label: t('shell.light') },
                { value: 'dark', label: t('shell.dark') },
                { value: 'auto', label: t('shell.automatic') },
              ]}
            />
          </div>
          <Select
            size="xs"
            label={t('shell.language')}
            data={LANGUAGE_CHOICES}
            value={i18n.language}
            allowDeselect={false}
            comboboxProps={{ withinPortal: false }}
            onChange={(language) => {
              keepLanguage(language as Language);
              void changeLanguage(language as Language);
            }}
          />
          <Select
            size="xs"
            label={t('shell.timeZone')}
            data={TIME_ZONES}
            value={timeZone}
            searchable
            limit={50}
            allowDeselect={false}
            comboboxProps={{ withinPortal: false }}
            onChange={(zone) => {
              if (zone) setTimeZone(zone);
            }}
          />
        </Stack>
        <Menu.Divider />
        <Menu.Item component={Link} to="/account" leftSection={<IconUserCircle size={16} />} closeMenuOnClick>
          {t('shell.pages.account')}
        </Menu.Item>
        <Menu.Item
          component="a"
          href={`${BASE_PATH}/docs`}
          target="_blank"
          leftSection={<IconBook2 size={16} />}
        >
          {t('shell.apiDocumentation')}
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={signOut}>
          {t('shell.signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
