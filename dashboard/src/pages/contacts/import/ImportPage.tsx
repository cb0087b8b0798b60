import { Alert, Anchor, Button, Card, Stack, Text } from '@mantine/core';
import { IconDownload, IconUpload } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type ColumnTarget, targetText } from '../../../../../src/contact-imports/reading/column-target';
import { importContacts, type ImportContactsData, importSuppressions } from '../../../../generated';
import { listImportsQueryKey } from '../../../../generated/@tanstack/react-query.gen';
import { BASE_PATH } from '../../../api/base-path';
import { useReadAgain } from '../../../api/read-again';
import { errorText } from '../../../components/notify';
import { PageHeader } from '../../../components/PageHeader';
import { ColumnTable } from './ColumnTable';
import { FileChoice } from './FileChoice';
import { ImportHistory } from './ImportHistory';
import { DEFAULT_OPTIONS, ImportOptions } from './ImportOptions';
import { ImportResult } from './ImportResult';
import { useImportFile } from './use-import-file';

type Encoding = NonNullable<ImportContactsData['query']>['encoding'];

/** Imports contacts, or people who want no messages, from a file; and what was imported in the last month. */
export default function ImportPage() {
  const { t } = useTranslation();
  const input = useImportFile();
  const { file, encoding, preview } = input;
  const [options, setOptions] = useState(DEFAULT_OPTIONS);
  const [chosen, setChosen] = useState<ReadonlyMap<string, ColumnTarget>>(new Map());
  const queries = useQueryClient();
  const refreshContacts = useReadAgain('contact', 'list');
  const columns = (preview?.columns ?? []).map((column, index) => ({
    ...column,
    target: chosen.get(keyOf(index, column.header)) ?? column.target,
  }));
  const upload = useMutation({
    mutationFn: async () => {
      if (!file || !preview) throw new Error('No file is chosen');
      const reading = {
        ...(file.name !== undefined && { fileName: file.name.slice(0, 200) }),
        ...(encoding !== undefined && { encoding: encoding as Encoding }),
        ...(!preview.isList && {
          header: preview.hasHeader ? ('true' as const) : ('false' as const),
          column: columns.map(({ target }) => targetText(target)),
        }),
      };
      const { kind, list, tags, onExisting } = options;
      // The file itself, so that the page does not hold it.
      const body = file.blob as unknown as string;
      const groups = {
        ...(list.trim() !== '' && { list: list.trim() }),
        ...(tags.length > 0 && { tags: tags.map((tag) => `"${tag.replaceAll('"', '""')}"`).join(',') }),
      };
      const { data } =
        kind === 'contacts'
          ? await importContacts({ body, query: { ...reading, ...groups, onExisting }, throwOnError: true })
          : await importSuppressions({ body, query: reading, throwOnError: true });
      return data.data;
    },
    onSettled: () =>
      Promise.all([queries.invalidateQueries({ queryKey: listImportsQueryKey() }), refreshContacts()]),
  });
  const canUpload = preview !== undefined && columns.some(({ target }) => target.to === 'number');
  return (
    <Stack gap="lg">
      <PageHeader
        title={t('imports.title')}
        description={
          <Anchor component={Link} to="/contacts">
            {t('imports.back')}
          </Anchor>
        }
        actions={
          <Button
            component="a"
            href={`${BASE_PATH}/api/v1/gateway/contacts/export`}
            download
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
          >
            {t('imports.export')}
          </Button>
        }
      />
      <Card>
        <Stack gap="lg">
          <FileChoice input={input} />
          {preview && (
            <>
              <ImportOptions options={options} onChange={setOptions} />
              <ColumnTable
                preview={preview}
                columns={columns}
                onTarget={(index, target) =>
                  setChosen(new Map([...chosen, [keyOf(index, columns[index]?.header ?? ''), target]]))
                }
                onHeader={input.setHasHeader}
              />
              {!canUpload && (
                <Text size="sm" c="red" role="alert">
                  {t('imports.noNumbers')}
                </Text>
              )}
              <Button
                leftSection={<IconUpload size={16} aria-hidden />}
                disabled={!canUpload}
                loading={upload.isPending}
                onClick={() => upload.mutate()}
                style={{ alignSelf: 'flex-start' }}
              >
                {t('imports.submit')}
              </Button>
            </>
          )}
          {upload.isPending && (
            <Text size="sm" role="status">
              {t('imports.uploading')}
            </Text>
          )}
          {upload.isError && (
            <Alert color="red" title={t('imports.failed')} role="alert">
              {errorText(upload.error)}
            </Alert>
          )}
          {upload.data && <ImportResult key={upload.data._id} first={upload.data} />}
        </Stack>
      </Card>
      <ImportHistory />
    </Stack>
  );
}

/** A column of another file is another one. */
const keyOf = (index: number, header: string): string => `${index} ${header}`;
