import { Alert, Stack, Tabs, Text, Textarea } from '@mantine/core';
import { IconClipboardText, IconFileSpreadsheet } from '@tabler/icons-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FileDrop } from '../../../components/FileDrop';
import { loadCatalogues } from '../../../i18n';
import type { useImportFile } from './use-import-file';

/** It comes with its own texts. */
const EncodingChoice = lazy(async () => {
  const [{ EncodingChoice: choice }] = await Promise.all([
    import('../../campaigns/EncodingChoice'),
    loadCatalogues(['campaigns']),
  ]);
  return { default: choice };
});

/** So much of a file is read to show it in different encodings. */
const SAMPLE_BYTES = 1_000_000;

/** Where the people come from: a file, or pasted lines. */
export function FileChoice({ input }: { readonly input: ReturnType<typeof useImportFile> }) {
  const { t } = useTranslation();
  const { file, choose, problem } = input;
  const [text, setText] = useState('');
  return (
    <Stack gap="sm">
      <Tabs
        defaultValue="file"
        keepMounted={false}
        onChange={() => {
          setText('');
          choose(undefined);
        }}
      >
        <Tabs.List mb="sm">
          <Tabs.Tab value="file" leftSection={<IconFileSpreadsheet size={16} aria-hidden />}>
            {t('imports.file')}
          </Tabs.Tab>
          <Tabs.Tab value="paste" leftSection={<IconClipboardText size={16} aria-hidden />}>
            {t('imports.paste')}
          </Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="file">
          <FileDrop
            texts={{
              label: t('imports.file'),
              drop: t('imports.dropFile'),
              hint: t('imports.fileHint'),
              choose: t('imports.chooseFile'),
              chooseAnother: t('imports.otherFile'),
            }}
            hasFile={file !== undefined}
            name={file?.name}
            onFile={(dropped) => {
              choose({ name: dropped.name, blob: dropped });
            }}
          />
        </Tabs.Panel>
        <Tabs.Panel value="paste">
          <Textarea
            label={t('imports.pasteLabel')}
            description={t('imports.pasteHint')}
            value={text}
            onChange={({ currentTarget: { value } }) => {
              setText(value);
              choose(value.trim() === '' ? undefined : { blob: new Blob([value], { type: 'text/csv' }) });
            }}
            rows={6}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', whiteSpace: 'pre' } }}
          />
        </Tabs.Panel>
      </Tabs>
      {file && problem?.problem === 'notUtf8' && <Encodings blob={file.blob} onChoose={input.setEncoding} />}
      {file && problem && problem.problem !== 'notUtf8' && (
        <Alert color="red" title={t('imports.unreadable')} role="alert">
          <Text size="sm">{t(`imports.problems.${problem.problem}`)}</Text>
        </Alert>
      )}
    </Stack>
  );
}

function Encodings(props: { readonly blob: Blob; readonly onChoose: (encoding: string) => void }) {
  const { blob, onChoose } = props;
  const [start, setStart] = useState<ArrayBuffer>();
  useEffect(() => {
    void blob.slice(0, SAMPLE_BYTES).arrayBuffer().then(setStart);
  }, [blob]);
  return <Suspense>{start && <EncodingChoice start={start} onChoose={onChoose} />}</Suspense>;
}
