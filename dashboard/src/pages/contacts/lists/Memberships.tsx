import { MultiSelect, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { addMembers, removeMembers } from '../../../../generated';
import { listListsOptions } from '../../../../generated/@tanstack/react-query.gen';
import { useReadAgain } from '../../../api/read-again';
import { showSuccess } from '../../../components/notify';
import { QueryState } from '../../../components/QueryState';
import type { Contact } from '../../../components/contacts/contact';

/** The lists of a contact, which are saved as they are chosen. */
export function Memberships({ contact }: { readonly contact: Contact }) {
  const { t } = useTranslation();
  const refresh = useReadAgain('contact', 'list');
  const lists = useQuery(listListsOptions());
  const change = useMutation({
    mutationFn: async (chosen: readonly string[]) => {
      const body = { contactIds: [contact._id] };
      for (const id of chosen.filter((each) => !contact.lists.includes(each)))
        await addMembers({ path: { id }, body, throwOnError: true });
      for (const id of contact.lists.filter((each) => !chosen.includes(each)))
        await removeMembers({ path: { id }, body, throwOnError: true });
    },
    onSuccess: () => showSuccess(t('contacts.listsSaved')),
    onSettled: refresh,
  });
  return (
    <QueryState query={lists} lines={1}>
      {({ data }) => {
        const choices = data.filter(({ segment }) => !segment);
        return (
          <Stack gap="xs">
            {choices.length === 0 ? (
              <Text size="sm" c="dimmed">
                {t('contacts.noLists')}
              </Text>
            ) : (
              <MultiSelect
                searchable
                aria-label={t('contacts.lists')}
                description={t('contacts.listsHint')}
                {...(contact.lists.length === 0 && { placeholder: t('contacts.chooseLists') })}
                data={choices.map(({ _id, name }) => ({ value: _id, label: name }))}
                value={change.isPending ? [...change.variables] : contact.lists}
                onChange={(chosen) => change.mutate(chosen)}
                disabled={change.isPending}
              />
            )}
          </Stack>
        );
      }}
    </QueryState>
  );
}
