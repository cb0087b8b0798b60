import { Select } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ListResponse } from '../../../generated';

/** A list of contacts in place of numbers; not shown to accounts without lists. */
export function ListSelect(props: {
  readonly lists: readonly ListResponse[];
  readonly value: string;
  readonly onChange: (listId: string) => void;
  readonly error: string | undefined;
}) {
  const { t } = useTranslation();
  const { lists, value, onChange, error } = props;
  if (lists.length === 0 && value === '') return null;
  return (
    <Select
      clearable
      searchable
      label={t(value === '' ? 'send.toList' : 'send.recipients')}
      description={value === '' ? undefined : t('send.listHint')}
      placeholder={t('send.noList')}
      data={lists.map(({ _id, name, memberCount: count }) => ({
        value: _id,
        label: t('send.listMembers', { name, count }),
      }))}
      value={value || null}
      onChange={(chosen) => onChange(chosen ?? '')}
      error={error}
    />
  );
}
