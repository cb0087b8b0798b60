import { Button, Tabs } from '@mantine/core';
import { IconPlus, IconUpload } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ContactEditor } from '../../components/contacts/ContactEditor';
import { PageHeader } from '../../components/PageHeader';
import { useSearchParam } from '../../components/search-param';
import { ContactList } from './ContactList';
import { ListEditor } from './lists/ListEditor';
import { ListsPanel } from './lists/ListsPanel';

/** The address book, and the lists of it. */
export default function ContactsPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [view] = useSearchParam('view');
  const [isAdding, setAdding] = useState(false);
  const isLists = view === 'lists';
  const close = () => setAdding(false);
  return (
    <>
      <PageHeader
        title={t('contacts.title')}
        description={t('contacts.description')}
        actions={
          <>
            <Button
              renderRoot={(props) => <Link to="/contacts/import" {...props} />}
              variant="default"
              leftSection={<IconUpload size={18} aria-hidden />}
            >
              {t('contacts.import')}
            </Button>
            <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setAdding(true)}>
              {t(isLists ? 'contacts.listPage.create' : 'contacts.add')}
            </Button>
          </>
        }
      />
      <Tabs
        value={isLists ? 'lists' : 'contacts'}
        keepMounted={false}
        onChange={(value) =>
          void navigate({ to: '/contacts', search: value === 'lists' ? { view: 'lists' } : {} })
        }
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="contacts">{t('contacts.contactsTab')}</Tabs.Tab>
          <Tabs.Tab value="lists">{t('contacts.listsTab')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="contacts">
          <ContactList onAdd={() => setAdding(true)} />
        </Tabs.Panel>
        <Tabs.Panel value="lists">
          <ListsPanel onCreate={() => setAdding(true)} />
        </Tabs.Panel>
      </Tabs>
      {isAdding && (isLists ? <ListEditor onClose={close} /> : <ContactEditor onClose={close} />)}
    </>
  );
}
