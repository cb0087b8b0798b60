import { Alert, Anchor, Button, Group, Modal, Progress, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconArrowBackUp, IconDownload } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { ImportResponse } from '../../../../generated';
import {
  getImportOptions,
  getImportQueryKey,
  listImportsQueryKey,
  undoImportMutation,
} from '../../../../generated/@tanstack/react-query.gen';
import { BASE_PATH } from '../../../api/base-path';
import { useReadAgain } from '../../../api/read-again';

const POLL_MS = 1_000;
const MAX_LISTED = 10;

export const isOpen = ({ state }: Pick<ImportResponse, 'state'>): boolean =>
  state === 'reading' || state === 'applying' || state === 'undoing';

/** What became of an import, while it is in progress and afterwards. */
export function ImportResult({ first }: { readonly first: ImportResponse }) {
  const { t } = useTranslation();
  const path = { id: first._id };
  const { data } = useQuery({
    ...getImportOptions({ path }),
    initialData: { data: first },
    refetchInterval: ({ state }) => (state.data && isOpen(state.data.data) ? POLL_MS : false),
  });
  const job = data.data;
  return (
    <Stack gap="sm">
      <div role="status">
        <Text fw={600}>{t(`imports.states.${job.state}`)}</Text>
        {isOpen(job) ? <ImportProgress job={job} /> : <Counts job={job} />}
      </div>
      <RefusedRows job={job} />
      {job.state !== 'undone' && job.state !== 'undoing' && <UndoButton job={job} />}
    </Stack>
  );
}

export function ImportProgress({ job }: { readonly job: ImportResponse }) {
  const { t, i18n } = useTranslation();
  const number = new Intl.NumberFormat(i18n.language);
  const done = job.state === 'undoing' ? job.appliedCount - (job.leftToUndo ?? 0) : job.appliedCount;
  const total = job.state === 'undoing' ? job.appliedCount : job.rowCount;
  const label = t('imports.progress', { done: number.format(done), total: number.format(total) });
  return (
    <Stack gap={4}>
      <Progress value={total === 0 ? 0 : (100 * done) / total} aria-label={label} animated />
      <Text size="sm" className="numeric">
        {label}
      </Text>
    </Stack>
  );
}

/** What became of the rows, in words. */
export function Counts({ job }: { readonly job: ImportResponse }) {
  const { t } = useTranslation();
  const { counts, undone, kind } = job;
  const texts = undone
    ? (['removed', 'restored', 'kept', 'changed'] as const).flatMap((name) =>
        undone[name] > 0 ? [t(`imports.undone.${name}`, { count: undone[name] })] : [],
      )
    : (['created', 'updated', 'unchanged', 'refused'] as const).flatMap((name) =>
        counts[name] > 0
          ? [
              t(`imports.counts.${name === 'created' && kind === 'suppressions' ? 'blocked' : name}`, {
                count: counts[name],
              }),
            ]
          : [],
      );
  return (
    <Text size="sm" className="numeric">
      {texts.join(' · ') || t('imports.nothing')}
    </Text>
  );
}

function RefusedRows({ job }: { readonly job: ImportResponse }) {
  const { t } = useTranslation();
  const { refusals = [], counts } = job;
  if (refusals.length === 0) return null;
  return (
    <Alert
      color="yellow"
      title={t('imports.refusedTitle', { count: Math.max(counts.refused, refusals.length) })}
    >
      <Stack gap="xs" align="flex-start">
        {refusals.slice(0, MAX_LISTED).map(({ line, field, value, code }, index) => (
          <div key={index}>
            <Text size="sm" fw={600} className="outside-text numeric">
              {[t('imports.line', { line }), field, value.slice(0, 60)].filter(Boolean).join(' · ')}
            </Text>
            <Text size="sm">{t(`imports.refusals.${code}`)}</Text>
          </div>
        ))}
        <Anchor
          href={`${BASE_PATH}/api/v1/gateway/imports/${job._id}/refused`}
          download
          size="sm"
          underline="always"
          c="inherit"
        >
          <Group gap={4} wrap="nowrap">
            <IconDownload size={16} aria-hidden />
            {t('imports.downloadRefused')}
          </Group>
        </Anchor>
      </Stack>
    </Alert>
  );
}

/** It asks, because only the file brings back what is removed. */
export function UndoButton({ job }: { readonly job: ImportResponse }) {
  const { t } = useTranslation();
  const [isAsking, asking] = useDisclosure();
  const queries = useQueryClient();
  const refreshContacts = useReadAgain('contact', 'list');
  const path = { id: job._id };
  const undo = useMutation({
    ...undoImportMutation(),
    onSuccess: async (answer) => {
      asking.close();
      queries.setQueryData(getImportQueryKey({ path }), answer);
      await Promise.all([queries.invalidateQueries({ queryKey: listImportsQueryKey() }), refreshContacts()]);
    },
  });
  return (
    <>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconArrowBackUp size={16} aria-hidden />}
        onClick={asking.open}
        style={{ alignSelf: 'flex-start' }}
      >
        {t('imports.undo')}
      </Button>
      <Modal opened={isAsking} onClose={asking.close} title={t('imports.undoTitle')}>
        <Stack>
          <Text size="sm">{t(`imports.undoText.${job.kind}`)}</Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={asking.close}>
              {t('common.cancel')}
            </Button>
            <Button data-autofocus loading={undo.isPending} onClick={() => undo.mutate({ path })}>
              {t('imports.undo')}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
