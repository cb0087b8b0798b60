import { Anchor, Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconUserPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import type { ConversationResponse } from '../../../generated';
import { loadCatalogues } from '../../i18n';

const ContactEditor = lazy(async () => {
  const [editor] = await Promise.all([import('../contacts/ContactEditor'), loadCatalogues(['contacts'])]);
  return { default: editor.ContactEditor };
});

/** Whose number it is, or the way to add it to the contacts. */
export function ConversationContact({ conversation }: { readonly conversation: ConversationResponse }) {
  const { t } = useTranslation();
  const { number, contact } = conversation;
  const [isOpen, { open, close }] = useDisclosure();
  if (contact)
    return (
      <Group gap="xs">
        {contact.name !== '' && (
          <Text size="sm" c="dimmed" className="outside-text numeric">
            {number}
          </Text>
        )}
        <Anchor
          size="sm"
          renderRoot={(root) => <Link to="/contacts/$id" params={{ id: contact._id }} {...root} />}
        >
          {t('conversations.openContact')}
        </Anchor>
      </Group>
    );
  return (
    <div>
      <Button
        size="compact-xs"
        variant="subtle"
        color="gray"
        px={0}
        leftSection={<IconUserPlus size={14} />}
        onClick={open}
      >
        {t('conversations.addContact')}
      </Button>
      {isOpen && (
        <Suspense>
          <ContactEditor conversation={number} onClose={close} />
        </Suspense>
      )}
    </div>
  );
}
