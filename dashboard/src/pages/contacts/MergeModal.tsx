import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { listContactsOptions, mergeContactMutation } from '../../../generated/@tanstack/react-query.gen';
import { useReadAgain } from '../../api/read-again';
import { showSuccess } from '../../components/notify';
import { ErrorAlert } from '../../components/QueryState';
import { type Contact, titleOf } from '../../components/contacts/contact';

const MAX_SHOWN = 20;

/** Chooses the contact that is merged into this one. */
export function MergeModal({
  contact,
  onClose,
}: {
  readonly contact: Contact;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const refresh = useReadAgain('contact', 'list');
  const name = titleOf(contact);
  const [typed, setTyped] = useState('');
  const [other, setOther] = useState<string | null>(null);
  const [search] = useDebouncedValue(typed.trim(), 300);
  const found = useQuery({
    ...listContactsOptions({ query: { limit: MAX_SHOWN, ...(search && { search }) } }),
    placeholderData: keepPreviousData,
  });
  const merge = useMutation({
    ...mergeContactMutation(),
    meta: { showsErrors: true },
    onSuccess: () => {
      onClose();
      showSuccess(t('contacts.merge.done', { name }));
      return refresh();
    },
  });
  const choices = (found.data?.data ?? [])
    .filter(({ _id }) => _id !== contact._id)
    .map((each) => ({
      value: each._id,
      label: [each.name, each.numbers[0]?.number].filter(Boolean).join(' · '),
    }));
  return (
    <Modal
      opened
      onClose={onClose}
      title={<span className="outside-text">{t('contacts.merge.title', { name })}</span>}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (other !== null) merge.mutate({ path: { id: contact._id }, body: { contactId: other } });
        }}
      >
        <Stack>
          <Text size="sm" className="outside-text">
            {t('contacts.merge.text', { name })}
          </Text>
          <Select
            data-autofocus
            searchable
            label={t('contacts.merge.other')}
            placeholder={t('contacts.search')}
            nothingFoundMessage={t('contacts.nothingFound')}
            data={choices}
            // The service has searched already, also by numbers in other spellings.
            filter={({ options }) => options}
            searchValue={typed}
            onSearchChange={setTyped}
            value={other}
            onChange={setOther}
          />
          {merge.error && <ErrorAlert error={merge.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" color="red" loading={merge.isPending} disabled={other === null}>
              {t('contacts.merge.submit')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
