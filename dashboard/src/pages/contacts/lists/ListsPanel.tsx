import {
  ActionIcon,
  Anchor,
  Badge,
  Button,
  Card,
  Group,
  Menu,
  Modal,
  SimpleGrid,
  Stack,
  Text,
  Title,
} from '@mantine/core';
import { IconDotsVertical, IconListDetails, IconPencil, IconSend, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ListResponse } from '../../../../generated';
import { deleteListMutation, listListsOptions } from '../../../../generated/@tanstack/react-query.gen';
import { useReadAgain } from '../../../api/read-again';
import { EmptyState } from '../../../components/EmptyState';
import { showSuccess } from '../../../components/notify';
import { ErrorAlert, QueryState } from '../../../components/QueryState';
import { ListEditor } from './ListEditor';

/** From here on members are not counted. */
const MAX_COUNTED = 10_000;

/** The lists of contacts by name. */
export function ListsPanel({ onCreate }: { readonly onCreate: () => void }) {
  const { t } = useTranslation();
  const lists = useQuery(listListsOptions());
  return (
    <QueryState query={lists}>
      {({ data }) =>
        data.length === 0 ? (
          <EmptyState
            icon={<IconListDetails aria-hidden />}
            title={t('contacts.listPage.emptyTitle')}
            text={t('contacts.listPage.emptyText')}
            action={<Button onClick={onCreate}>{t('contacts.listPage.create')}</Button>}
          />
        ) : (
          <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }}>
            {data.map((list) => (
              <ListCard key={list._id} list={list} />
            ))}
          </SimpleGrid>
        )
      }
    </QueryState>
  );
}

function ListCard({ list }: { readonly list: ListResponse }) {
  const { t } = useTranslation();
  const { _id: id, name, segment, memberCount: count } = list;
  return (
    <Card>
      <Stack gap="sm" style={{ flexGrow: 1 }}>
        <Group justify="space-between" align="flex-start" wrap="nowrap" gap="xs">
          <Title order={2} lineClamp={2} className="outside-text">
            <Anchor
              inherit
              c="inherit"
              renderRoot={(root) => <Link to="/contacts" search={{ listId: id }} {...root} />}
            >
              {name}
            </Anchor>
          </Title>
          <ListActions list={list} />
        </Group>
        {segment && (
          <Group gap={6}>
            <Badge variant="light" color="gray" tt="none">
              {t('contacts.listPage.segment')}
            </Badge>
            <Text size="sm" c="dimmed" className="outside-text">
              {segment.tag === undefined
                ? t('contacts.listPage.ofField', { field: segment.field, value: segment.value })
                : t('contacts.listPage.ofTag', { tag: segment.tag })}
            </Text>
          </Group>
        )}
        <Text size="sm" c="dimmed" className="numeric">
          {t(count >= MAX_COUNTED ? 'contacts.listPage.membersAtLeast' : 'contacts.listPage.members', {
            count,
          })}
        </Text>
        <Group mt="auto" gap="xs">
          <Button
            size="xs"
            variant="default"
            leftSection={<IconSend size={16} aria-hidden />}
            renderRoot={(root) => <Link to="/send" search={{ list: id }} {...root} />}
          >
            {t('contacts.listPage.send')}
          </Button>
        </Group>
      </Stack>
    </Card>
  );
}

function ListActions({ list }: { readonly list: ListResponse }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState<'edit' | 'remove'>();
  const close = () => setOpen(undefined);
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('contacts.listPage.actions', { name: list.name })}
          >
            <IconDotsVertical size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => setOpen('edit')}>
            {t('contacts.listPage.edit')}
          </Menu.Item>
          <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => setOpen('remove')}>
            {t('contacts.listPage.remove')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {open === 'edit' && <ListEditor list={list} onClose={close} />}
      {open === 'remove' && <RemoveModal list={list} onClose={close} />}
    </>
  );
}

function RemoveModal({ list, onClose }: { readonly list: ListResponse; readonly onClose: () => void }) {
  const { t } = useTranslation();
  const refresh = useReadAgain('contact', 'list');
  const { _id: id, name } = list;
  const remove = useMutation({
    ...deleteListMutation(),
    meta: { showsErrors: true },
    onSuccess: () => {
      onClose();
      showSuccess(t('contacts.listPage.removed', { name }));
      return refresh();
    },
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={<span className="outside-text">{t('contacts.listPage.removeTitle', { name })}</span>}
    >
      <Stack>
        <Text size="sm">{t('contacts.listPage.removeText')}</Text>
        {remove.error && <ErrorAlert error={remove.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button color="red" loading={remove.isPending} onClick={() => remove.mutate({ path: { id } })}>
            {t('contacts.listPage.removeSubmit')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
