import { Alert, Badge, Button, Collapse, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AccountResponse } from '../../../generated';
import {
  sendVerificationEmailMutation,
  updateProfileMutation,
  verifyEmailMutation,
} from '../../../generated/@tanstack/react-query.gen';
import { showSuccess } from '../../components/notify';
import { formErrors } from './form-errors';
import { Section } from './Section';

/** The address, its verification, and changing it: the new one is confirmed with a mailed code. */
export function EmailSection({ account }: { readonly account: AccountResponse }) {
  const { t } = useTranslation();
  const [isChanging, setChanging] = useState(false);
  const [pending, setPending] = useState<string>();
  const isVerified = account.emailVerifiedAt !== undefined;
  return (
    <Section title={t('account.email.title')}>
      <Stack gap="sm">
        <Group gap="sm">
          <Text className="outside-text">{account.email}</Text>
          <Badge variant="light" tt="none" color={isVerified ? 'teal' : 'yellow'}>
            {isVerified ? t('account.email.verified') : t('account.email.unverified')}
          </Badge>
        </Group>
        {pending !== undefined && (
          <Alert color="blue" role="status">
            {t('account.email.pending', { email: pending })}
          </Alert>
        )}
        {(pending !== undefined || !isVerified) && (
          <CodeForm
            account={account}
            canSendAgain={pending === undefined}
            onDone={() => {
              setPending(undefined);
            }}
          />
        )}
        <Group>
          <Button variant="default" aria-expanded={isChanging} onClick={() => setChanging(!isChanging)}>
            {t('account.email.change')}
          </Button>
        </Group>
        <Collapse expanded={isChanging}>
          <ChangeForm
            onRequested={(email) => {
              setPending(email);
              setChanging(false);
            }}
          />
        </Collapse>
      </Stack>
    </Section>
  );
}

function ChangeForm({ onRequested }: { readonly onRequested: (email: string | undefined) => void }) {
  const { t } = useTranslation();
  const form = useForm({ initialValues: { email: '', password: '' } });
  const change = useMutation({
    ...updateProfileMutation(),
    meta: { showsErrors: true },
    onSuccess: ({ data }) => {
      form.reset();
      onRequested(data.pendingEmail);
    },
  });
  const errors = formErrors(t, change.error, ['email', 'password'], 'password');
  return (
    <form onSubmit={form.onSubmit((body) => change.mutate({ body }))}>
      <Stack gap="sm">
        {errors.form && <Alert color="red">{errors.form}</Alert>}
        <TextInput
          label={t('account.email.new')}
          type="email"
          autoComplete="email"
          required
          {...form.getInputProps('email')}
          error={errors.email}
        />
        <PasswordInput
          label={t('account.password.current')}
          description={t('account.password.firstNeeded')}
          autoComplete="current-password"
          required
          {...form.getInputProps('password')}
          error={errors.password}
        />
        <Group>
          <Button type="submit" loading={change.isPending}>
            {t('account.email.sendCode')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function CodeForm(props: {
  readonly account: AccountResponse;
  readonly canSendAgain: boolean;
  readonly onDone: () => void;
}) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const form = useForm({ initialValues: { verificationCode: '' } });
  const verify = useMutation({
    ...verifyEmailMutation(),
    meta: { showsErrors: true },
    onSuccess: async () => {
      form.reset();
      props.onDone();
      showSuccess(t('account.email.confirmed'));
      await queries.invalidateQueries();
    },
  });
  const sendAgain = useMutation({
    ...sendVerificationEmailMutation(),
    onSuccess: () => showSuccess(t('account.email.sentAgain')),
  });
  const errors = formErrors(t, verify.error, ['verificationCode']);
  return (
    <form
      onSubmit={form.onSubmit(({ verificationCode }) =>
        verify.mutate({ body: { userId: props.account._id, verificationCode } }),
      )}
    >
      <Stack gap="sm">
        <TextInput
          label={t('account.email.code')}
          description={t('account.email.codeHint')}
          autoComplete="one-time-code"
          required
          {...form.getInputProps('verificationCode')}
          error={errors.verificationCode ?? errors.form}
        />
        <Group gap="sm">
          <Button type="submit" loading={verify.isPending}>
            {t('account.email.confirm')}
          </Button>
          {props.canSendAgain && (
            <Button variant="subtle" loading={sendAgain.isPending} onClick={() => sendAgain.mutate({})}>
              {t('account.email.sendAgain')}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}
