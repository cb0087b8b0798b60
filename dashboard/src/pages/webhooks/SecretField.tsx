import { ActionIcon, Group, PasswordInput, SegmentedControl, Stack, Text, Tooltip } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../components/CopyButton';
import { generateSecret } from './webhook';

/** A secret: generated, or the person's own. */
export function SecretField(props: {
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (value: string) => void;
}) {
  const { t } = useTranslation();
  const [isOwn, setOwn] = useState(false);
  const { value, error, onChange } = props;
  const choose = (kind: string) => {
    setOwn(kind === 'own');
    onChange(kind === 'own' ? '' : generateSecret());
  };
  return (
    <Stack gap={6}>
      <SegmentedControl
        aria-label={t('webhooks.secret.label')}
        value={isOwn ? 'own' : 'generated'}
        onChange={choose}
        data={(['generated', 'own'] as const).map((kind) => ({
          value: kind,
          label: t(`webhooks.secret.${kind}`),
        }))}
      />
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <PasswordInput
          style={{ flex: 1, minWidth: 0 }}
          label={t('webhooks.secret.label')}
          description={isOwn ? t('webhooks.secret.ownHint') : t('webhooks.secret.hint')}
          autoComplete="off"
          readOnly={!isOwn}
          value={value}
          error={error}
          maxLength={512}
          visibilityToggleButtonProps={{ 'aria-label': t('webhooks.secret.show'), tabIndex: 0 }}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
        {!isOwn && (
          <Group gap={4} wrap="nowrap" pb={6}>
            <CopyButton value={value} label={t('webhooks.secret.copy')} />
            <Tooltip label={t('webhooks.secret.again')}>
              <ActionIcon
                variant="subtle"
                color="gray"
                size="sm"
                aria-label={t('webhooks.secret.again')}
                onClick={() => onChange(generateSecret())}
              >
                <IconRefresh size={14} />
              </ActionIcon>
            </Tooltip>
          </Group>
        )}
      </Group>
    </Stack>
  );
}

/** A secret that is hidden until asked for. */
export function ShownSecret({ value }: { readonly value: string }) {
  const { t } = useTranslation();
  if (!value) {
    return (
      <Text size="sm" c="var(--mantine-color-error)">
        {t('webhooks.trouble.secretLost.title')}
      </Text>
    );
  }
  return (
    <Group gap="xs" align="flex-end" wrap="nowrap" maw={480}>
      <PasswordInput
        style={{ flex: 1, minWidth: 0 }}
        label={t('webhooks.secret.label')}
        description={t('webhooks.secret.hint')}
        readOnly
        autoComplete="off"
        value={value}
        visibilityToggleButtonProps={{ 'aria-label': t('webhooks.secret.show'), tabIndex: 0 }}
      />
      <Group pb={6}>
        <CopyButton value={value} label={t('webhooks.secret.copy')} />
      </Group>
    </Group>
  );
}
