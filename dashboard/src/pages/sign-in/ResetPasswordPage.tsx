import { Alert, Anchor, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import {
  requestPasswordResetMutation,
  resetPasswordMutation,
} from '../../../generated/@tanstack/react-query.gen';
import { errorText } from '../../components/notify';
import { SignInFrame } from './SignInFrame';

export default function ResetPasswordPage() {
  const { t } = useTranslation();
  const form = useForm({ initialValues: { email: '', otp: '', newPassword: '' } });
  const request = useMutation({ ...requestPasswordResetMutation(), meta: { showsErrors: true } });
  const reset = useMutation({ ...resetPasswordMutation(), meta: { showsErrors: true } });
  const error = reset.error ?? request.error;
  return (
    <SignInFrame title={t('signIn.reset.title')}>
      <form
        onSubmit={form.onSubmit(({ email, otp, newPassword }) =>
          request.isSuccess
            ? reset.mutate({ body: { email, otp, newPassword } })
            : request.mutate({ body: { email } }),
        )}
      >
        <Stack>
          {error && <Alert color="red">{errorText(error)}</Alert>}
          {reset.isSuccess ? (
            <Alert color="teal">{t('signIn.reset.done')}</Alert>
          ) : (
            <>
              <Text size="sm">
                {request.isSuccess ? t('signIn.reset.sent') : t('signIn.reset.explanation')}
              </Text>
              <TextInput
                label={t('signIn.email')}
                type="email"
                autoComplete="username"
                required
                readOnly={request.isSuccess}
                {...form.getInputProps('email')}
              />
              {request.isSuccess && (
                <>
                  <TextInput
                    label={t('signIn.reset.code')}
                    autoComplete="one-time-code"
                    required
                    {...form.getInputProps('otp')}
                  />
                  <PasswordInput
                    label={t('signIn.reset.newPassword')}
                    autoComplete="new-password"
                    required
                    {...form.getInputProps('newPassword')}
                  />
                </>
              )}
              <Button type="submit" loading={request.isPending || reset.isPending}>
                {request.isSuccess ? t('signIn.reset.submit') : t('signIn.reset.request')}
              </Button>
            </>
          )}
          <Anchor component={Link} to="/sign-in" size="sm">
            {t('signIn.reset.back')}
          </Anchor>
        </Stack>
      </form>
    </SignInFrame>
  );
}
