import { ActionIcon, Button, Group, Menu, Modal, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useForm } from '@mantine/form';
import { IconBookmark, IconCheck, IconPlus, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { ViewResponse } from '../../../generated';
import {
  createViewMutation,
  deleteViewMutation,
  listViewsOptions,
  listViewsQueryKey,
} from '../../../generated/@tanstack/react-query.gen';
import { ApiError } from '../../api/client';
import { errorText, showSuccess, showUndo } from '../../components/notify';
import { type Filters, fromQueryString, toQueryString } from './filters';

const MAX_NAME_LENGTH = 64;

/** The named queries of the account: each is applied, saved from the filters of the page, or removed. */
export function SavedViews(props: {
  readonly filters: Filters;
  readonly onApply: (filters: Filters) => void;
}) {
  const { t } = useTranslation();
  const { filters, onApply } = props;
  const queries = useQueryClient();
  const [isSaving, saving] = useDisclosure();
  const views = useQuery(listViewsOptions());
  const readAgain = () => queries.invalidateQueries({ queryKey: listViewsQueryKey() });
  const create = useMutation({ ...createViewMutation(), onSuccess: readAgain });
  const remove = useMutation({ ...deleteViewMutation(), onSuccess: readAgain });
  const current = toQueryString(filters);
  const isCurrent = ({ query }: ViewResponse) =>
    current !== '' && toQueryString(fromQueryString(query)) === current;
  const removeView = async ({ _id: id, name, query }: ViewResponse) => {
    await remove.mutateAsync({ path: { id } });
    showUndo(t('messages.views.removed', { name }), () => create.mutate({ body: { name, query } }));
  };
  const known = views.data?.data ?? [];
  return (
    <>
      <Menu position="bottom-end" width={280} withinPortal>
        <Menu.Target>
          <Button variant="default" px="sm" leftSection={<IconBookmark size={16} aria-hidden />}>
            <Text span inherit truncate maw={140}>
              {known.find(isCurrent)?.name ?? t('messages.views.title')}
            </Text>
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {known.length === 0 && <Menu.Label>{t('messages.views.none')}</Menu.Label>}
          {known.map((view) => (
            <Group key={view._id} gap={4} wrap="nowrap">
              <Menu.Item
                leftSection={
                  isCurrent(view) ? (
                    <IconCheck size={16} aria-hidden />
                  ) : (
                    <IconBookmark size={16} aria-hidden />
                  )
                }
                onClick={() => onApply(fromQueryString(view.query))}
                style={{ minWidth: 0 }}
              >
                <Text span inherit className="outside-text">
                  {view.name}
                </Text>
              </Menu.Item>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={t('messages.views.remove', { name: view.name })}
                onClick={() => void removeView(view)}
              >
                <IconTrash size={16} aria-hidden />
              </ActionIcon>
            </Group>
          ))}
          <Menu.Divider />
          <Menu.Item
            leftSection={<IconPlus size={16} aria-hidden />}
            disabled={current === ''}
            onClick={saving.open}
          >
            {t('messages.views.save')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isSaving && <SaveView query={current} onSaved={readAgain} onClose={saving.close} />}
    </>
  );
}

function SaveView(props: {
  readonly query: string;
  readonly onSaved: () => unknown;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const { query, onSaved, onClose } = props;
  const form = useForm({ initialValues: { name: '' } });
  const create = useMutation({
    ...createViewMutation(),
    meta: { showsErrors: true },
    onSuccess: ({ data }) => {
      showSuccess(t('messages.views.saved', { name: data.name }));
      onClose();
      return onSaved();
    },
    onError: (error) => {
      const [detail] = error instanceof ApiError ? error.details : [];
      form.setFieldError('name', detail?.message ?? errorText(error));
    },
  });
  return (
    <Modal opened onClose={onClose} title={t('messages.views.save')}>
      <form onSubmit={form.onSubmit(({ name }) => create.mutate({ body: { name: name.trim(), query } }))}>
        <TextInput
          label={t('messages.views.name')}
          placeholder={t('messages.views.example')}
          required
          maxLength={MAX_NAME_LENGTH}
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button type="submit" loading={create.isPending}>
            {t('common.save')}
          </Button>
        </Group>
      </form>
    </Modal>
  );
}
