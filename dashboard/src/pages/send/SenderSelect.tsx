import { Alert, Badge, Group, Select, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Senders } from '../../api/senders';
import { type SenderChoice, useSenderChoices } from './sender-choices';

const COLORS = { ok: 'teal', warning: 'yellow', error: 'red' } as const;

/** Where a message is sent from, with what is wrong there. */
export function SenderSelect(props: {
  readonly senders: Senders;
  readonly value: string;
  readonly onChange: (sender: string) => void;
  readonly error: string | undefined;
}) {
  const { t } = useTranslation();
  const groups = useSenderChoices(props.senders);
  const choices = new Map(groups.flatMap(({ items }) => items.map((item) => [item.value, item] as const)));
  const chosen = choices.get(props.value);
  return (
    <Stack gap="xs">
      <Select
        label={t('send.from')}
        data={groups.map(({ group, items }) => ({ group, items: items.map(toItem) }))}
        value={props.value}
        onChange={(value) => props.onChange(value ?? '')}
        allowDeselect={false}
        searchable={choices.size > 8}
        error={props.error}
        renderOption={({ option }) => <Choice choice={choices.get(option.value)} label={option.label} />}
      />
      {chosen?.isVirtual && (
        <Text size="sm" role="status">
          {t('send.virtualSender')}
        </Text>
      )}
      {chosen?.health && chosen.health !== 'ok' && (
        <Alert
          color={COLORS[chosen.health]}
          icon={<IconAlertTriangle />}
          title={t('send.senderTrouble')}
          role="status"
        >
          {(chosen.reasons.length > 0 ? chosen.reasons : [chosen.label]).map((reason) => (
            <Text key={reason} size="sm" className="outside-text">
              {reason}
            </Text>
          ))}
        </Alert>
      )}
    </Stack>
  );
}

const toItem = ({ value, label, unavailable }: SenderChoice) => ({
  value,
  label,
  disabled: unavailable !== undefined,
});

function Choice({ choice, label }: { readonly choice: SenderChoice | undefined; readonly label: string }) {
  const { t } = useTranslation();
  return (
    <Group justify="space-between" wrap="nowrap" w="100%" gap="xs">
      <Text size="sm" className="outside-text" lineClamp={2}>
        {label}
      </Text>
      {choice?.unavailable ? (
        <Badge color="gray" variant="light" tt="none" style={{ flexShrink: 0 }}>
          {t(`send.${choice.unavailable}`)}
        </Badge>
      ) : (
        choice?.health && (
          <Badge color={COLORS[choice.health]} variant="light" tt="none" style={{ flexShrink: 0 }}>
            {t(`common.health.${choice.health}`)}
          </Badge>
        )
      )}
    </Group>
  );
}
