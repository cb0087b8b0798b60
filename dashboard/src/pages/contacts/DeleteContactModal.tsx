import { Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { deleteContactMutation } from '../../../generated/@tanstack/react-query.gen';
import { useReadAgain } from '../../api/read-again';
import { showSuccess } from '../../components/notify';
import { ErrorAlert } from '../../components/QueryState';
import { type Contact, titleOf } from '../../components/contacts/contact';

/** Asks whether only the contact goes, or all that is stored of the person. */
export function DeleteContactModal(props: { readonly contact: Contact; readonly onClose: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const refresh = useReadAgain('contact', 'list');
  const { contact, onClose } = props;
  const name = titleOf(contact);
  const [isErasing, setErasing] = useState(false);
  const remove = useMutation({
    ...deleteContactMutation(),
    meta: { showsErrors: true },
    onSuccess: async () => {
      showSuccess(t('contacts.remove.done', { name }));
      await navigate({ to: '/contacts' });
      await refresh();
    },
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={<span className="outside-text">{t('contacts.remove.title', { name })}</span>}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          remove.mutate({ path: { id: contact._id }, ...(isErasing && { query: { erase: 'true' } }) });
        }}
      >
        <Stack>
          <Text size="sm">{t('contacts.remove.text')}</Text>
          <Checkbox
            label={t('contacts.remove.erase')}
            description={t('contacts.remove.eraseHint')}
            checked={isErasing}
            onChange={({ currentTarget }) => setErasing(currentTarget.checked)}
          />
          {remove.error && <ErrorAlert error={remove.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" color="red" loading={remove.isPending}>
              {t('contacts.remove.submit')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
