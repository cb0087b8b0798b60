import { Select, Stack, Switch, Table, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import {
  type Column,
  type ColumnTarget,
  parseTarget,
  targetText,
} from '../../../../../src/contact-imports/reading/column-target';
import type { Preview } from './preview-problem';

const CHOICES = [
  'name',
  'firstName',
  'middleName',
  'lastName',
  'number',
  'label',
  'tags',
  'notes',
  'language',
] as const;

/** The first rows of a file, and what each column holds. */
export function ColumnTable(props: {
  readonly preview: Preview;
  readonly columns: readonly Column[];
  readonly onTarget: (index: number, target: ColumnTarget) => void;
  readonly onHeader: (hasHeader: boolean) => void;
}) {
  const { t } = useTranslation();
  const { preview, columns, onTarget } = props;
  const { rows, hasHeader, isList } = preview;
  if (isList)
    return (
      <Text size="sm" role="status">
        {t('imports.listFound', { numbers: rows.map(([number]) => number).join(', ') })}
      </Text>
    );
  return (
    <Stack gap="sm">
      <Switch
        label={t('imports.hasHeader')}
        checked={hasHeader}
        onChange={(event) => props.onHeader(event.currentTarget.checked)}
      />
      <Table.ScrollContainer
        minWidth={Math.max(300, 170 * columns.length)}
        type="native"
        role="group"
        tabIndex={0}
        aria-label={t('imports.preview')}
      >
        <Table withTableBorder>
          <Table.Thead>
            <Table.Tr>
              {columns.map((column, index) => (
                <Table.Th key={index} style={{ verticalAlign: 'top', minWidth: 160 }}>
                  <Text size="sm" fw={600} className="outside-text" lineClamp={1}>
                    {hasHeader ? column.header : t('imports.column', { name: column.header })}
                  </Text>
                  <TargetSelect column={column} onTarget={(target) => onTarget(index, target)} />
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((fields, row) => (
              <Table.Tr key={row}>
                {columns.map((_, index) => (
                  <Table.Td key={index}>
                    <Text size="sm" className="outside-text" lineClamp={1}>
                      {fields[index] ?? ''}
                    </Text>
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  );
}

function TargetSelect({
  column,
  onTarget,
}: {
  readonly column: Column;
  readonly onTarget: (target: ColumnTarget) => void;
}) {
  const { t } = useTranslation();
  const { header, target } = column;
  const current = targetText(target);
  const field = `field:${header}`;
  const data = [
    ...CHOICES.map((value) => ({ value: value, label: t(`imports.targets.${value}`) })),
    ...(target.to === 'number' && target.label !== undefined
      ? [{ value: current, label: t('imports.targets.labelled', { label: target.label }) }]
      : []),
    {
      value: target.to === 'field' ? current : field,
      label: t('imports.targets.field', { name: target.to === 'field' ? target.name : header }),
    },
    { value: 'ignore', label: t('imports.targets.ignore') },
  ];
  return (
    <Select
      size="xs"
      mt={4}
      aria-label={t('imports.columnHolds', { name: header })}
      data={data}
      value={current}
      allowDeselect={false}
      onChange={(value) => {
        const chosen = value === null ? null : parseTarget(value);
        if (chosen) onTarget(chosen);
      }}
      comboboxProps={{ width: 240, position: 'bottom-start' }}
    />
  );
}
