import { useMantineColorScheme } from '@mantine/core';
import {
  IconBook2,
  IconBuildingBroadcastTower,
  IconKey,
  IconLanguage,
  IconLogout,
  IconPalette,
  IconPlus,
  IconQrcode,
  IconSpeakerphone,
  IconWebhook,
  type TablerIcon,
} from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { BASE_PATH } from '../../api/base-path';
import { changeLanguage, keepLanguage, type Language, LANGUAGES } from '../../i18n';
import { useSignOut } from '../navigation/use-sign-out';

export interface Action {
  readonly id: string;
  readonly label: string;
  /** Other words for it. */
  readonly keywords?: string;
  readonly icon: TablerIcon;
  /** Shown only to those who look for it. */
  readonly isRare?: boolean;
  readonly run: () => void;
}

const COLOR_SCHEMES = { light: 'light', dark: 'dark', auto: 'automatic' } as const;

/** What can be done from anywhere. */
export function useActions(): readonly Action[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const signOut = useSignOut();
  const { setColorScheme } = useMantineColorScheme();
  return [
    { id: 'send', label: t('shell.newMessage'), icon: IconPlus, run: () => void navigate({ to: '/send' }) },
    {
      id: 'pair',
      label: t('palette.pair'),
      keywords: t('palette.pairWords'),
      icon: IconQrcode,
      run: () => void navigate({ to: '/phones', search: { pair: true } }),
    },
    {
      id: 'campaign',
      label: t('palette.newCampaign'),
      keywords: t('palette.newCampaignWords'),
      icon: IconSpeakerphone,
      run: () => void navigate({ to: '/campaigns/new' }),
    },
    {
      id: 'webhook',
      label: t('palette.newWebhook'),
      icon: IconWebhook,
      run: () => void navigate({ to: '/webhooks', search: { dialog: 'new' } }),
    },
    {
      id: 'pool',
      label: t('palette.newPool'),
      icon: IconBuildingBroadcastTower,
      run: () => void navigate({ to: '/pools', search: { new: true } }),
    },
    {
      id: 'key',
      label: t('palette.newKey'),
      icon: IconKey,
      run: () => void navigate({ to: '/api-keys', search: { new: true } }),
    },
    ...Object.entries(COLOR_SCHEMES).map(([scheme, name]) => ({
      id: `scheme-${scheme}`,
      label: `${t('shell.colorScheme')}: ${t(`shell.${name}`)}`,
      keywords: t('palette.colorSchemeWords'),
      icon: IconPalette,
      isRare: true,
      run: () => setColorScheme(scheme as keyof typeof COLOR_SCHEMES),
    })),
    ...Object.entries(LANGUAGES).map(([language, name]) => ({
      id: `language-${language}`,
      label: `${t('shell.language')}: ${name}`,
      // The word for it in each of the languages, for those who do not read the chosen one.
      keywords: 'language Sprache idioma',
      icon: IconLanguage,
      isRare: true,
      run: () => {
        keepLanguage(language as Language);
        void changeLanguage(language as Language);
      },
    })),
    {
      id: 'docs',
      label: t('shell.apiDocumentation'),
      keywords: 'OpenAPI Swagger',
      icon: IconBook2,
      isRare: true,
      run: () => void open(`${BASE_PATH}/docs`, '_blank', 'noopener'),
    },
    { id: 'sign-out', label: t('shell.signOut'), icon: IconLogout, isRare: true, run: signOut },
  ];
}
