import '@mantine/spotlight/styles.css';
import { Spotlight, type SpotlightActionData } from '@mantine/spotlight';
import { IconPlus, IconSearch } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { PAGE_GROUPS } from './pages';

/** Every page and the frequent actions. */
export default function CommandPalette({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const actions: SpotlightActionData[] = [
    {
      id: 'new-message',
      label: t('shell.newMessage'),
      leftSection: <IconPlus size={18} aria-hidden />,
      onClick: () => void navigate({ to: '/send' }),
    },
    ...PAGE_GROUPS.flat().map(({ to, name, icon: Icon }) => ({
      id: to,
      label: t(`shell.pages.${name}`),
      leftSection: <Icon size={18} aria-hidden />,
      onClick: () => void navigate({ to }),
    })),
  ];
  return (
    <Spotlight
      forceOpened
      onSpotlightClose={onClose}
      actions={actions}
      shortcut={null}
      nothingFound={t('shell.nothingFound')}
      highlightQuery
      limit={12}
      searchProps={{
        leftSection: <IconSearch size={18} aria-hidden />,
        placeholder: t('shell.palette'),
        'aria-label': t('shell.palette'),
      }}
    />
  );
}
