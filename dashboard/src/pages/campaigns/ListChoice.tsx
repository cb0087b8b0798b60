import { Select } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { listListsOptions } from '../../../generated/@tanstack/react-query.gen';
import { errorText } from '../../components/notify';
import { readList } from './list-table';
import type { Source } from './source';

/** Reads a list of contacts as the rows of a campaign. */
export function ListChoice(props: {
  readonly source: Source | undefined;
  readonly onSource: (source: Source | undefined) => void;
}) {
  const { t } = useTranslation();
  const { source, onSource } = props;
  const lists = useQuery(listListsOptions());
  const found = lists.data?.data ?? [];
  const read = useMutation({
    mutationFn: readList,
    meta: { showsErrors: true },
    onSuccess: (text, listId) =>
      onSource({ text, listId, name: found.find(({ _id }) => _id === listId)?.name }),
  });
  return (
    <Select
      searchable
      clearable
      label={t('campaigns.chooseList')}
      description={read.isPending ? t('campaigns.readingList') : t('campaigns.listHint')}
      data={found.map(({ _id, name, memberCount: count }) => ({
        value: _id,
        label: t('send.listMembers', { name, count }),
      }))}
      value={source?.listId ?? (read.isPending ? read.variables : null)}
      onChange={(id) => {
        onSource(undefined);
        if (id !== null) read.mutate(id);
      }}
      disabled={read.isPending}
      error={read.error && errorText(read.error)}
    />
  );
}
