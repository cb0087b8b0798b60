import { Button } from '@mantine/core';
import { IconMessage2, IconSend } from '@tabler/icons-react';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../components/EmptyState';
import { PageHeader } from '../../components/PageHeader';
import { ExportMenu } from './export/ExportMenu';
import { FilterBar } from './FilterBar';
import { type Filters, readFilters, toQueryString } from './filters';
import classes from './Messages.module.css';
import { MessageTable } from './MessageTable';
import { SavedViews } from './SavedViews';

export default function MessagesPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const filters = readFilters(useSearch({ strict: false }));
  const query = toQueryString(filters);
  const show = (search: Filters) => void navigate({ to: '/messages', search, replace: true });
  const change = (changed: Filters) => show(readFilters({ ...filters, ...changed }));
  return (
    <div className={classes.page}>
      <PageHeader title={t('messages.title')} actions={<ExportMenu filters={filters} />} />
      <FilterBar
        filters={filters}
        onChange={change}
        views={<SavedViews filters={filters} onApply={show} />}
      />
      <MessageTable
        key={query}
        filters={filters}
        empty={query ? <NothingFound show={show} /> : <NoMessages />}
      />
    </div>
  );
}

function NoMessages() {
  const { t } = useTranslation();
  return (
    <EmptyState
      icon={<IconMessage2 />}
      title={t('messages.empty.title')}
      text={t('messages.empty.text')}
      action={
        <Button component={Link} to="/send" leftSection={<IconSend size={16} aria-hidden />}>
          {t('messages.empty.action')}
        </Button>
      }
    />
  );
}

function NothingFound({ show }: { readonly show: (filters: Filters) => void }) {
  const { t } = useTranslation();
  return (
    <EmptyState
      icon={<IconMessage2 />}
      title={t('messages.nothing.title')}
      text={t('messages.nothing.text')}
      action={<Button onClick={() => show({})}>{t('messages.filters.clear')}</Button>}
    />
  );
}
