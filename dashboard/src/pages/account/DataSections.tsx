import { Alert, Button, Group, List, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { deleteAccountMutation } from '../../../generated/@tanstack/react-query.gen';
import { BASE_PATH } from '../../api/base-path';
import { leaveForSignIn } from '../../api/leave-for-sign-in';
import { formErrors } from './form-errors';
import { Section } from './Section';

/** The browser saves the file: the address answers with an attachment. */
export function ExportSection() {
  const { t } = useTranslation();
  return (
    <Section title={t('account.export.title')} text={t('account.export.explanation')}>
      <Button
        component="a"
        href={`${BASE_PATH}/api/v1/auth/account/export`}
        download
        variant="default"
        style={{ alignSelf: 'flex-start' }}
        leftSection={<IconDownload size={16} aria-hidden />}
      >
        {t('account.export.download')}
      </Button>
    </Section>
  );
}

export function DeletionSection({ email }: { readonly email: string }) {
  const { t } = useTranslation();
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <Section title={t('account.delete.title')} text={t('account.delete.explanation')}>
      <Button color="red" variant="light" style={{ alignSelf: 'flex-start' }} onClick={open}>
        {t('account.delete.open')}
      </Button>
      <Modal opened={isOpen} onClose={close} title={t('account.delete.title')}>
        <DeletionForm email={email} />
      </Modal>
    </Section>
  );
}

const GOES = ['phones', 'messages', 'webhooks', 'keys', 'usage'] as const;

function DeletionForm({ email }: { readonly email: string }) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState('');
  const [password, setPassword] = useState('');
  const remove = useMutation({
    ...deleteAccountMutation(),
    meta: { showsErrors: true },
    onSuccess: () => leaveForSignIn(),
  });
  const errors = formErrors(t, remove.error, ['password'], 'password');
  const isConfirmed = typed.trim().toLowerCase() === email.toLowerCase();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isConfirmed) remove.mutate({ body: { password } });
      }}
    >
      <Stack gap="sm">
        {errors.form && <Alert color="red">{errors.form}</Alert>}
        <Text size="sm">{t('account.delete.goes')}</Text>
        <List size="sm" spacing={4}>
          {GOES.map((what) => (
            <List.Item key={what}>{t(`account.delete.what.${what}`)}</List.Item>
          ))}
        </List>
        <Text size="sm">{t('account.delete.when')}</Text>
        <TextInput
          label={t('common.typeToConfirm', { name: email })}
          required
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <PasswordInput
          label={t('account.password.current')}
          description={t('account.password.firstNeeded')}
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={errors.password}
        />
        <Group justify="flex-end">
          <Button
            type="submit"
            color="red.9"
            disabled={!isConfirmed || password === ''}
            loading={remove.isPending}
          >
            {t('account.delete.submit')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
