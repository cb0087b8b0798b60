import { Alert, Button, Collapse, Group, Select, Stack, Switch, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { SendValues } from './send-values';

const VALIDITIES = ['300', '900', '3600', '21600', '86400', '259200'] as const;

/** What few sends need. */
export function MoreOptions(props: {
  readonly values: SendValues;
  readonly onChange: (changed: Partial<SendValues>) => void;
  readonly error: string | undefined;
}) {
  const { t } = useTranslation();
  const { values, onChange, error } = props;
  const [isOpen, { toggle }] = useDisclosure();
  return (
    <Stack gap="sm" align="stretch">
      <div>
        <Button
          variant="subtle"
          size="compact-sm"
          px={0}
          onClick={toggle}
          aria-expanded={isOpen}
          rightSection={isOpen ? <IconChevronUp size={16} /> : <IconChevronDown size={16} />}
        >
          {isOpen ? t('send.fewerOptions') : t('send.moreOptions')}
        </Button>
      </div>
      {error && <Alert color="red">{error}</Alert>}
      <Collapse expanded={isOpen}>
        <Stack gap="md">
          <Switch
            label={t('send.urgent')}
            description={t('send.urgentHint')}
            checked={values.isUrgent}
            onChange={(event) => onChange({ isUrgent: event.currentTarget.checked })}
          />
          <Select
            label={t('send.validity')}
            description={t('send.validityHint')}
            data={[
              { value: '', label: t('send.validForever') },
              ...VALIDITIES.map((value) => ({ value, label: t(`send.valid.s${value}`) })),
            ]}
            value={values.validFor}
            onChange={(validFor) => onChange({ validFor: validFor ?? '' })}
            allowDeselect={false}
          />
          <Switch
            label={t('send.quietHours')}
            description={t('send.quietHoursHint')}
            checked={values.keepsQuiet}
            onChange={(event) => onChange({ keepsQuiet: event.currentTarget.checked })}
          />
          {values.keepsQuiet && (
            <Group grow>
              <TextInput
                type="time"
                label={t('send.quietFrom')}
                value={values.quietFrom}
                onChange={(event) => onChange({ quietFrom: event.currentTarget.value })}
              />
              <TextInput
                type="time"
                label={t('send.quietTo')}
                value={values.quietTo}
                onChange={(event) => onChange({ quietTo: event.currentTarget.value })}
              />
            </Group>
          )}
        </Stack>
      </Collapse>
    </Stack>
  );
}
