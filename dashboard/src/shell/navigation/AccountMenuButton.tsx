import { ActionIcon } from '@mantine/core';
import { IconUserCircle } from '@tabler/icons-react';
import type { ComponentProps } from 'react';
import { useTranslation } from 'react-i18next';

export function AccountMenuButton(props: ComponentProps<'button'>) {
  const { t } = useTranslation();
  return (
    <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('shell.accountMenu')} {...props}>
      <IconUserCircle size={22} />
    </ActionIcon>
  );
}
