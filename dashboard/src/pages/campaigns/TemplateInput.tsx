import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { Table } from './csv-table';
import type { TemplateProblem } from './campaign-rows';

const MAX_BUTTONS = 20;

/** The text of a campaign, with buttons that put columns into it. */
export function TemplateInput(props: {
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly table: Table | undefined;
  readonly problem: TemplateProblem | undefined;
}) {
  const { t } = useTranslation();
  const { value, onChange, table, problem } = props;
  const field = useRef<HTMLTextAreaElement>(null);
  const insert = (column: string) => {
    const { selectionStart = value.length, selectionEnd = value.length } = field.current ?? {};
    onChange(`${value.slice(0, selectionStart)}{{${column}}}${value.slice(selectionEnd)}`);
    field.current?.focus();
  };
  // A name with braces cannot be in a text.
  const columns = table?.columns.filter((name) => !/[{}]/.test(name)).slice(0, MAX_BUTTONS) ?? [];
  return (
    <Stack gap="xs">
      <Textarea
        ref={field}
        label={t('send.text')}
        description={t('campaigns.textHint', { example: '{{name}}' })}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={
          problem &&
          t(`campaigns.template.${problem.problem}`, { column: 'column' in problem ? problem.column : '' })
        }
        autosize
        minRows={3}
        maxRows={10}
        required
      />
      {columns.length > 0 && (
        <Group gap={6}>
          <Text size="sm" c="dimmed">
            {t('campaigns.insert')}
          </Text>
          {columns.map((column, index) => (
            <Button
              key={index}
              size="compact-sm"
              variant="default"
              maw={200}
              onClick={() => insert(column)}
              aria-label={t('campaigns.insertColumn', { column: column.slice(0, 100) })}
            >
              {column}
            </Button>
          ))}
        </Group>
      )}
    </Stack>
  );
}
