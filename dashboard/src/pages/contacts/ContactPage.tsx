import { Anchor, Badge, Button, Card, Group, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core';
import { IconArrowLeft, IconMessages, IconPencil, IconSend } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { getContactOptions } from '../../../generated/@tanstack/react-query.gen';
import { CopyButton } from '../../components/CopyButton';
import { PageHeader } from '../../components/PageHeader';
import { QueryState } from '../../components/QueryState';
import { ConversationBlock } from '../conversations/ConversationBlock';
import { isPhoneNumber } from '../conversations/thread';
import { useBlock } from '../conversations/use-block';
import { type Contact, titleOf } from './contact';
import { ContactActions } from './ContactActions';
import { ContactEditor } from './ContactEditor';
import { Memberships } from './lists/Memberships';

/** What is known of a person, and what can be done with it. */
export default function ContactPage() {
  const { id = '' }: { id?: string } = useParams({ strict: false });
  const query = useQuery(getContactOptions({ path: { id } }));
  return <QueryState query={query}>{({ data }) => <Details key={data._id} contact={data} />}</QueryState>;
}

function Details({ contact }: { readonly contact: Contact }) {
  const { t } = useTranslation();
  const [isEditing, setEditing] = useState(false);
  const { tags, notes, language, numbers } = contact;
  const fields = Object.entries(contact.fields);
  return (
    <>
      <Anchor size="sm" renderRoot={(root) => <Link to="/contacts" {...root} />}>
        <Group gap={4} mb="xs">
          <IconArrowLeft size={16} aria-hidden />
          {t('contacts.back')}
        </Group>
      </Anchor>
      <PageHeader
        title={titleOf(contact)}
        description={
          (tags.length > 0 || language) && (
            <Group gap={6} mt={4}>
              {tags.map((tag) => (
                <Badge
                  key={tag}
                  variant="light"
                  color="gray"
                  tt="none"
                  maw="100%"
                  style={{ cursor: 'pointer' }}
                  renderRoot={(root) => <Link to="/contacts" search={{ tag }} {...root} />}
                >
                  <span className="outside-text">{tag}</span>
                </Badge>
              ))}
              {language && (
                <Badge variant="outline" color="gray" tt="none" fw={500}>
                  {language}
                </Badge>
              )}
            </Group>
          )
        }
        actions={
          <>
            <Button
              variant="default"
              leftSection={<IconPencil size={16} aria-hidden />}
              onClick={() => setEditing(true)}
            >
              {t('contacts.edit')}
            </Button>
            <ContactActions contact={contact} />
          </>
        }
      />
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Card component="section">
          <Title order={2} mb="sm">
            {t('contacts.numbers')}
          </Title>
          <Stack gap="md">
            {numbers.map((number) => (
              <NumberLine key={number.peerNumber} number={number} />
            ))}
          </Stack>
        </Card>
        <Stack gap="md">
          {notes && (
            <Card component="section">
              <Title order={2} mb="sm">
                {t('contacts.notes')}
              </Title>
              <Text size="sm" className="outside-text" style={{ whiteSpace: 'pre-wrap' }}>
                {notes}
              </Text>
            </Card>
          )}
          {fields.length > 0 && (
            <Card component="section">
              <Title order={2} mb="sm">
                {t('contacts.fields')}
              </Title>
              <Table layout="fixed" withRowBorders={false} verticalSpacing={4} horizontalSpacing={0}>
                <Table.Tbody>
                  {fields.map(([name, value]) => (
                    <Table.Tr key={name}>
                      <Table.Th w="40%" fw={500} className="outside-text">
                        {name}
                      </Table.Th>
                      <Table.Td className="outside-text">{value}</Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </Card>
          )}
          <Card component="section">
            <Title order={2} mb="sm">
              {t('contacts.lists')}
            </Title>
            <Memberships contact={contact} />
          </Card>
          <Group gap="xs">
            <Text size="xs" c="dimmed" className="numeric">
              {t('contacts.id')}: {contact._id}
            </Text>
            <CopyButton value={contact._id} label={t('contacts.copyId')} />
          </Group>
        </Stack>
      </SimpleGrid>
      {isEditing && <ContactEditor contact={contact} onClose={() => setEditing(false)} />}
    </>
  );
}

function NumberLine({
  number: { number, peerNumber, label },
}: {
  readonly number: Contact['numbers'][number];
}) {
  const { t } = useTranslation();
  const { isEnabled, block } = useBlock(peerNumber, undefined);
  return (
    <Stack gap={6}>
      <Group gap="xs">
        <Text fw={500} className="outside-text numeric">
          {number}
        </Text>
        <CopyButton value={number} />
        {label && (
          <Text size="sm" c="dimmed" className="outside-text">
            {label}
          </Text>
        )}
      </Group>
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          leftSection={<IconMessages size={16} aria-hidden />}
          renderRoot={(root) => (
            <Link to="/conversations/$number" params={{ number: peerNumber }} {...root} />
          )}
        >
          {t('contacts.conversation')}
        </Button>
        {isPhoneNumber(peerNumber) && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconSend size={16} aria-hidden />}
            renderRoot={(root) => <Link to="/send" search={{ to: peerNumber }} {...root} />}
          >
            {t('contacts.send')}
          </Button>
        )}
      </Group>
      {isEnabled && (block ?? isPhoneNumber(peerNumber)) && (
        <ConversationBlock number={peerNumber} block={block} />
      )}
    </Stack>
  );
}
