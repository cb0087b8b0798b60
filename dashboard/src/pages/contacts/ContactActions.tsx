import { ActionIcon, Menu } from '@mantine/core';
import { IconArrowsJoin, IconDotsVertical, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Contact, titleOf } from '../../components/contacts/contact';
import { DeleteContactModal } from './DeleteContactModal';
import { MergeModal } from './MergeModal';

/** What is seldom done with a contact. */
export function ContactActions({ contact }: { readonly contact: Contact }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState<'merge' | 'remove'>();
  const close = () => setOpen(undefined);
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon
            variant="default"
            size={36}
            aria-label={t('contacts.actions', { name: titleOf(contact) })}
          >
            <IconDotsVertical size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconArrowsJoin size={16} />} onClick={() => setOpen('merge')}>
            {t('contacts.merge.action')}
          </Menu.Item>
          <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => setOpen('remove')}>
            {t('contacts.remove.action')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {open === 'merge' && <MergeModal contact={contact} onClose={close} />}
      {open === 'remove' && <DeleteContactModal contact={contact} onClose={close} />}
    </>
  );
}
