import { Alert, Button, Group, PasswordInput, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { changePasswordMutation, getSessionOptions } from '../../../generated/@tanstack/react-query.gen';
import { ApiError } from '../../api/client';
import { QueryState } from '../../components/QueryState';
import { showSuccess } from '../../components/notify';
import { formErrors } from './form-errors';
import { Section } from './Section';

const MAX_PASSWORD = 128;

export function PasswordSection({ email }: { readonly email: string }) {
  const { t } = useTranslation();
  const session = useQuery(getSessionOptions());
  return (
    <Section id="password" title={t('account.password.title')} text={t('account.password.explanation')}>
      <QueryState query={session} lines={2}>
        {({ data: { method, accountHasPassword } }) => (
          <>
            {!accountHasPassword && (
              <Alert color="yellow" mb="sm">
                {t('account.password.none')}
              </Alert>
            )}
            <PasswordForm email={email} mayBeFirst={method === 'sign-in-link' && !accountHasPassword} />
          </>
        )}
      </QueryState>
    </Section>
  );
}

/** @param props.mayBeFirst in a session of a sign-in link the first password needs no old one; the service tells whether it is. */
function PasswordForm({ email, mayBeFirst }: { readonly email: string; readonly mayBeFirst: boolean }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const form = useForm({ initialValues: { oldPassword: '', newPassword: '' } });
  const change = useMutation({
    ...changePasswordMutation(),
    meta: { showsErrors: true },
    onSuccess: async () => {
      form.reset();
      showSuccess(t(asksOld ? 'account.password.changed' : 'account.password.isSet', { email }));
      await queries.invalidateQueries();
    },
  });
  const hasOld = change.error instanceof ApiError && change.error.code === 'WRONG_PASSWORD';
  const asksOld = !mayBeFirst || hasOld || form.isDirty('oldPassword');
  const wasAsked = form.values.oldPassword !== '';
  const errors =
    hasOld && !wasAsked
      ? { oldPassword: t('account.password.hasOne') }
      : formErrors(t, change.error, ['oldPassword', 'newPassword'], 'oldPassword');
  return (
    <form
      onSubmit={form.onSubmit(({ oldPassword, newPassword }) =>
        change.mutate({ body: { newPassword, ...(asksOld && { oldPassword }) } }),
      )}
    >
      <Stack gap="sm">
        {'form' in errors && errors.form && <Alert color="red">{errors.form}</Alert>}
        {/* So that password managers know whose it is. */}
        <input type="text" name="username" value={email} autoComplete="username" readOnly hidden />
        {asksOld && (
          <PasswordInput
            label={t('account.password.current')}
            autoComplete="current-password"
            required
            {...form.getInputProps('oldPassword')}
            error={errors.oldPassword}
          />
        )}
        <PasswordInput
          label={t('account.password.new')}
          description={t('account.password.rules')}
          autoComplete="new-password"
          required
          maxLength={MAX_PASSWORD}
          {...form.getInputProps('newPassword')}
          error={'newPassword' in errors && errors.newPassword}
        />
        <Group>
          <Button type="submit" loading={change.isPending}>
            {asksOld ? t('account.password.change') : t('account.password.set')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
