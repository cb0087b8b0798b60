import { Alert, Group, Select, Stack, Switch, Tabs, Text, Textarea } from '@mantine/core';
import { IconAddressBook, IconClipboardText, IconFileSpreadsheet } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FileDrop } from '../../components/FileDrop';
import { EncodingChoice } from './EncodingChoice';
import { ListChoice } from './ListChoice';
import { readText, type Table, UnreadableTable } from './csv-table';
import type { Source } from './source';

/** So much of a file is read to show it in different encodings. */
const SAMPLE_BYTES = 1_000_000;

/** The recipients of a campaign: a file, pasted lines or a list of contacts, and which column has the numbers. */
export function RecipientsInput(props: {
  readonly source: Source | undefined;
  readonly onSource: (source: Source | undefined) => void;
  readonly table: Table | undefined;
  /** Why there is no table. */
  readonly problem: UnreadableTable | undefined;
  readonly onHeader: (hasHeader: boolean) => void;
  readonly numberColumn: number | undefined;
  readonly onNumberColumn: (column: number) => void;
}) {
  const { t, i18n } = useTranslation();
  const { source, onSource, table } = props;
  const [isReading, setReading] = useState(false);
  const [failure, setFailure] = useState<{ file: File; problem: UnreadableTable; start: ArrayBuffer }>();

  const read = async (file: File, encoding?: string) => {
    setReading(true);
    setFailure(undefined);
    try {
      onSource({ name: file.name, text: await readText(file, encoding) });
    } catch (error) {
      onSource(undefined);
      const start = await file.slice(0, SAMPLE_BYTES).arrayBuffer();
      const problem = error instanceof UnreadableTable ? error : new UnreadableTable('noText');
      setFailure({ file, problem, start });
    } finally {
      setReading(false);
    }
  };
  return (
    <Stack gap="sm">
      <Tabs
        // Pasted lines that were typed before.
        defaultValue={source?.listId ? 'list' : source && source.name === undefined ? 'paste' : 'file'}
        keepMounted={false}
        onChange={() => {
          setFailure(undefined);
          onSource(undefined);
        }}
      >
        <Tabs.List mb="sm">
          <Tabs.Tab value="file" leftSection={<IconFileSpreadsheet size={16} aria-hidden />}>
            {t('campaigns.file')}
          </Tabs.Tab>
          <Tabs.Tab value="paste" leftSection={<IconClipboardText size={16} aria-hidden />}>
            {t('campaigns.paste')}
          </Tabs.Tab>
          <Tabs.Tab value="list" leftSection={<IconAddressBook size={16} aria-hidden />}>
            {t('campaigns.fromList')}
          </Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="file">
          <FileDrop
            texts={{
              label: t('campaigns.file'),
              drop: t('campaigns.dropFile'),
              hint: t('campaigns.fileHint'),
              choose: t('campaigns.chooseFile'),
              chooseAnother: t('campaigns.otherFile'),
            }}
            hasFile={source !== undefined}
            name={source?.name}
            onFile={(file) => void read(file)}
            isReading={isReading}
          />
        </Tabs.Panel>
        <Tabs.Panel value="paste">
          <Textarea
            label={t('campaigns.pasteLabel')}
            description={t('campaigns.pasteHint')}
            placeholder={t('campaigns.pasteExample')}
            value={source?.text ?? ''}
            onChange={({ currentTarget: { value } }) => onSource(value === '' ? undefined : { text: value })}
            rows={7}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', whiteSpace: 'pre' } }}
          />
        </Tabs.Panel>
        <Tabs.Panel value="list">
          <ListChoice source={source} onSource={onSource} />
        </Tabs.Panel>
      </Tabs>
      {failure &&
        (failure.problem.problem === 'notUtf8' ? (
          <EncodingChoice start={failure.start} onChoose={(encoding) => void read(failure.file, encoding)} />
        ) : (
          <Problem problem={failure.problem} />
        ))}
      {props.problem && <Problem problem={props.problem} />}
      {table && (
        <Stack gap="sm">
          <Text size="sm" role="status" className="numeric">
            {t('campaigns.tableFound', {
              count: table.rows.length,
              number: new Intl.NumberFormat(i18n.language).format(table.rows.length),
              columns: table.columns.length,
            })}
          </Text>
          <Group align="flex-end" gap="md">
            <Select
              label={t('campaigns.numberColumn')}
              data={table.columns.map((name, index) => ({
                value: String(index),
                label: columnLabel(name, table, t('campaigns.column', { name })),
              }))}
              value={String(props.numberColumn)}
              onChange={(value) => value !== null && props.onNumberColumn(Number(value))}
              allowDeselect={false}
              style={{ flex: '1 1 220px' }}
            />
            <Switch
              label={t('campaigns.hasHeader')}
              checked={table.hasHeader}
              onChange={(event) => props.onHeader(event.currentTarget.checked)}
              mb={8}
            />
          </Group>
        </Stack>
      )}
    </Stack>
  );
}

const MAX_LABEL = 60;

const columnLabel = (name: string, { hasHeader }: Table, numbered: string) =>
  hasHeader ? (name.length > MAX_LABEL ? `${name.slice(0, MAX_LABEL)}…` : name) : numbered;

function Problem({ problem }: { readonly problem: UnreadableTable }) {
  const { t } = useTranslation();
  return (
    <Alert color="red" title={t('campaigns.unreadable')} role="alert">
      <Text size="sm">
        {t(`campaigns.problems.${problem.problem}`)}
        {problem.line !== undefined && ` ${t('campaigns.atLine', { line: problem.line })}`}
      </Text>
    </Alert>
  );
}
