import { Badge } from '@mantine/core';
import { IconDeviceMobile, IconKey } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { ApiKeyResponse } from '../../../generated/types.gen';

export type KeyKind = ApiKeyResponse['kind'];
export const KINDS = ['full', 'phone'] as const satisfies readonly KeyKind[];

export function KindBadge({ kind }: { readonly kind: KeyKind }) {
  const { t } = useTranslation();
  const Icon = kind === 'full' ? IconKey : IconDeviceMobile;
  return (
    <Badge
      variant="light"
      color={kind === 'full' ? 'violet' : 'cyan'}
      tt="none"
      fw={600}
      miw="max-content"
      leftSection={<Icon size={12} aria-hidden />}
    >
      {t(`apiKeys.kind.${kind}`)}
    </Badge>
  );
}
