import { Button, Group, Modal, Radio, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { ListResponse } from '../../../../generated';
import { createListMutation, updateListMutation } from '../../../../generated/@tanstack/react-query.gen';
import { fieldErrors, showFieldErrors } from '../../../api/field-errors';
import { useReadAgain } from '../../../api/read-again';
import { showSuccess } from '../../../components/notify';
import { ErrorAlert } from '../../../components/QueryState';

const KINDS = ['manual', 'tag', 'field'] as const;
type Kind = (typeof KINDS)[number];

const kindOf = (segment: ListResponse['segment']): Kind => {
  if (!segment) return 'manual';
  return segment.tag === undefined ? 'field' : 'tag';
};

/** Creates a list or a segment, or changes one. */
export function ListEditor({
  list,
  onClose,
}: {
  readonly list?: ListResponse;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const refresh = useReadAgain('contact', 'list');
  const form = useForm({
    initialValues: {
      name: list?.name ?? '',
      kind: kindOf(list?.segment),
      tag: list?.segment?.tag ?? '',
      field: list?.segment?.field ?? '',
      value: list?.segment?.value ?? '',
    },
  });
  const options = {
    meta: { showsErrors: true },
    onError: (error: unknown) => showFieldErrors(form, fieldErrors(error)),
    onSuccess: ({ data }: { data: ListResponse }) => {
      onClose();
      showSuccess(t('contacts.listPage.saved', { name: data.name }));
      return refresh();
    },
  };
  const create = useMutation({ ...createListMutation(), ...options });
  const update = useMutation({ ...updateListMutation(), ...options });
  const { kind } = form.values;
  const save = form.onSubmit(({ name, tag, field, value }) => {
    const segment = kind === 'tag' ? { tag } : kind === 'field' ? { field, value } : undefined;
    const body = { name, ...(segment && { segment }) };
    if (list) update.mutate({ path: { id: list._id }, body });
    else create.mutate({ body });
  });
  const error = create.error ?? update.error;
  const { name: nameError, ...otherErrors } = form.errors;
  return (
    <Modal opened onClose={onClose} title={t(list ? 'contacts.listPage.edit' : 'contacts.listPage.create')}>
      <form onSubmit={save}>
        <Stack>
          <TextInput
            data-autofocus
            required
            label={t('contacts.listPage.name')}
            maxLength={64}
            {...form.getInputProps('name')}
          />
          {!list && (
            <Radio.Group label={t('contacts.listPage.kind')} {...form.getInputProps('kind')}>
              <Stack gap="xs" mt={6}>
                {KINDS.map((each) => (
                  <Radio key={each} value={each} label={t(`contacts.listPage.${each}`)} />
                ))}
              </Stack>
            </Radio.Group>
          )}
          {kind === 'tag' && (
            <TextInput
              required
              label={t('contacts.listPage.tagName')}
              maxLength={64}
              {...form.getInputProps('tag')}
            />
          )}
          {kind === 'field' && (
            <Group grow align="flex-start">
              <TextInput
                required
                label={t('contacts.listPage.fieldName')}
                maxLength={64}
                {...form.getInputProps('field')}
              />
              <TextInput
                required
                label={t('contacts.listPage.fieldValue')}
                maxLength={1_000}
                {...form.getInputProps('value')}
              />
            </Group>
          )}
          {error && (!nameError || Object.keys(otherErrors).length > 0) && <ErrorAlert error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={create.isPending || update.isPending}>
              {t('common.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
