import {
  ActionIcon,
  Alert,
  Anchor,
  Button,
  Drawer,
  Group,
  Stack,
  TagsInput,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import {
  createContactMutation,
  createConversationContactMutation,
  updateContactMutation,
} from '../../../generated/@tanstack/react-query.gen';
import { ApiError } from '../../api/client';
import { fieldErrors, showFieldErrors } from '../../api/field-errors';
import { useReadAgain } from '../../api/read-again';
import { errorText, showSuccess } from '../notify';
import { ErrorAlert } from '../QueryState';
import {
  type Contact,
  MAX_FIELDS,
  MAX_NAME_LENGTH,
  MAX_NOTES_LENGTH,
  MAX_NUMBERS,
  MAX_TAGS,
  titleOf,
  toContactBody,
  toContactForm,
} from './contact';

/**
 * Creates a contact, or changes one.
 * @param props.conversation the number of the conversation that becomes one of a contact.
 */
export function ContactEditor(props: {
  readonly contact?: Contact;
  readonly conversation?: string;
  readonly onSaved?: (contact: Contact) => void;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const refresh = useReadAgain('contact', 'list');
  const { contact, conversation, onClose } = props;
  const form = useForm({
    initialValues: toContactForm(contact, conversation),
    onValuesChange: () => {
      for (const save of [create, createOfConversation, update]) if (save.error) save.reset();
    },
  });
  const options = {
    meta: { showsErrors: true },
    onError: (error: unknown) => showFieldErrors(form, fieldErrors(error)),
    onSuccess: ({ data }: { data: Contact }) => {
      onClose();
      showSuccess(t('contacts.saved', { name: titleOf(data) }));
      props.onSaved?.(data);
      return refresh();
    },
  };
  const create = useMutation({ ...createContactMutation(), ...options });
  const createOfConversation = useMutation({ ...createConversationContactMutation(), ...options });
  const update = useMutation({ ...updateContactMutation(), ...options });
  const save = form.onSubmit((values) => {
    const body = toContactBody(values, contact);
    if (contact) update.mutate({ path: { id: contact._id }, body });
    else if (conversation === undefined) create.mutate({ body });
    else {
      const { numbers, ...details } = body;
      createOfConversation.mutate({ path: { number: conversation }, body: details });
    }
  });
  const error = create.error ?? createOfConversation.error ?? update.error;
  const { values } = form;
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="lg"
      title={contact ? t('contacts.edit') : t('contacts.add')}
    >
      <form onSubmit={save}>
        <Stack>
          <TextInput
            data-autofocus
            label={t('contacts.name')}
            maxLength={MAX_NAME_LENGTH}
            {...form.getInputProps('name')}
          />
          <Stack gap="xs">
            <Title order={3}>{t('contacts.numbers')}</Title>
            <Text size="sm" c="dimmed">
              {t('contacts.numbersHint')}
            </Text>
            {values.numbers.map((_, index) => (
              <Group key={index} gap="xs" align="flex-start" wrap="nowrap">
                <TextInput
                  style={{ flex: '2 1 140px' }}
                  label={t('contacts.number')}
                  inputMode="tel"
                  required={index === 0}
                  disabled={conversation !== undefined}
                  {...form.getInputProps(`numbers.${index}.number`)}
                />
                <TextInput
                  style={{ flex: '1 1 90px' }}
                  label={t('contacts.label')}
                  placeholder={t('contacts.labelExample')}
                  maxLength={40}
                  disabled={conversation !== undefined}
                  {...form.getInputProps(`numbers.${index}.label`)}
                />
                <ActionIcon
                  variant="subtle"
                  color="red"
                  size="lg"
                  mt={24}
                  disabled={values.numbers.length === 1}
                  aria-label={t('contacts.removeNumber', { number: values.numbers[index]?.number })}
                  onClick={() => form.removeListItem('numbers', index)}
                >
                  <IconTrash size={18} />
                </ActionIcon>
              </Group>
            ))}
            {conversation === undefined && values.numbers.length < MAX_NUMBERS && (
              <AddButton
                label={t('contacts.addNumber')}
                onClick={() => form.insertListItem('numbers', { number: '', label: '' })}
              />
            )}
          </Stack>
          <TagsInput
            label={t('contacts.tags')}
            description={t('contacts.tagsHint')}
            maxTags={MAX_TAGS}
            {...form.getInputProps('tags')}
          />
          <Stack gap="xs">
            <Title order={3}>{t('contacts.fields')}</Title>
            <Text size="sm" c="dimmed">
              {t('contacts.fieldsHint')}
            </Text>
            {values.fields.map((_, index) => (
              <Group key={index} gap="xs" align="flex-start" wrap="nowrap">
                <TextInput
                  style={{ flex: '1 1 100px' }}
                  label={t('contacts.fieldName')}
                  maxLength={64}
                  {...form.getInputProps(`fields.${index}.name`)}
                />
                <TextInput
                  style={{ flex: '2 1 140px' }}
                  label={t('contacts.fieldValue')}
                  maxLength={1_000}
                  {...form.getInputProps(`fields.${index}.value`)}
                />
                <ActionIcon
                  variant="subtle"
                  color="red"
                  size="lg"
                  mt={24}
                  aria-label={t('contacts.removeField', { name: values.fields[index]?.name })}
                  onClick={() => form.removeListItem('fields', index)}
                >
                  <IconTrash size={18} />
                </ActionIcon>
              </Group>
            ))}
            {values.fields.length < MAX_FIELDS && (
              <AddButton
                label={t('contacts.addField')}
                onClick={() => form.insertListItem('fields', { name: '', value: '' })}
              />
            )}
          </Stack>
          <TextInput
            label={t('contacts.language')}
            description={t('contacts.languageHint')}
            maxLength={35}
            {...form.getInputProps('language')}
          />
          <Textarea
            label={t('contacts.notes')}
            autosize
            minRows={2}
            maxRows={8}
            maxLength={MAX_NOTES_LENGTH}
            {...form.getInputProps('notes')}
          />
          {error && (
            <SaveError error={error} isShownByField={Object.keys(form.errors).length > 0} onClose={onClose} />
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button
              type="submit"
              loading={create.isPending || createOfConversation.isPending || update.isPending}
            >
              {t('common.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Drawer>
  );
}

const AddButton = ({ label, onClick }: { readonly label: string; readonly onClick: () => void }) => (
  <div>
    <Button variant="default" size="xs" leftSection={<IconPlus size={16} aria-hidden />} onClick={onClick}>
      {label}
    </Button>
  </div>
);

/** Leads to the contact that has the number. */
function SaveError(props: {
  readonly error: unknown;
  readonly isShownByField: boolean;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const { error } = props;
  const owner = error instanceof ApiError ? error.contact : undefined;
  if (!owner) return props.isShownByField ? null : <ErrorAlert error={error} />;
  return (
    <Alert color="red" role="alert">
      <Text size="sm" className="outside-text">
        {errorText(error)}{' '}
        <Anchor
          inherit
          renderRoot={(root) => (
            <Link to="/contacts/$id" params={{ id: owner._id }} {...root} onClick={props.onClose} />
          )}
        >
          {t('contacts.openOwner', { name: owner.name || t('contacts.title') })}
        </Anchor>
      </Text>
    </Alert>
  );
}
