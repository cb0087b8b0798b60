import { Button } from '@mantine/core';
import { IconArrowsExchange, IconMessage2, IconSend } from '@tabler/icons-react';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../components/EmptyState';
import { PageHeader } from '../../components/PageHeader';
import { ExportMenu } from './ExportMenu';
import { FilterBar } from './FilterBar';
import { type Filters, readFilters, toQueryString } from './filters';
import classes from './Messages.module.css';
import { MessageTable } from './MessageTable';
import { MoveSelectionBar } from './MoveSelectionBar';
import { SavedViews } from './SavedViews';
import { useMoveSelection } from './use-move-selection';

export default function MessagesPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const filters = readFilters(useSearch({ strict: false }));
  const query = toQueryString(filters);
  const show = (search: Filters) => void navigate({ to: '/messages', search, replace: true });
  const { selection, start, end } = useMoveSelection();
  const change = (changed: Filters) => show(readFilters({ ...filters, ...changed }));
  return (
    <div className={classes.page}>
      <PageHeader
        title={t('messages.title')}
        actions={
          <>
            {!selection && (
              <Button
                variant="default"
                leftSection={<IconArrowsExchange size={16} aria-hidden />}
                onClick={start}
              >
                {t('messages.move.select')}
              </Button>
            )}
            <ExportMenu filters={filters} />
          </>
        }
      />
      <FilterBar
        filters={filters}
        onChange={change}
        views={<SavedViews filters={filters} onApply={show} />}
      />
      {selection && <MoveSelectionBar selection={selection} end={end} />}
      <MessageTable
        key={query}
        filters={filters}
        selection={selection}
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
