import { Alert, Anchor, Button, Loader, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { signInMutation } from '../../../generated/@tanstack/react-query.gen';
import { ApiError } from '../../api/client';
import { errorText } from '../../components/notify';
import { SignInFrame } from './SignInFrame';

/** Reads the token of a sign-in link, and removes it from the address at once, so that no history keeps it. */
function takeToken(): string | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? undefined;
  if (token) history.replaceState(null, '', location.pathname + location.search);
  return token;
}

const linkToken = takeToken();

/** Only pages of this service: another address could be anybody's. */
const ownPath = (to: unknown): string => (typeof to === 'string' && /^\/(?![/\\])/.test(to) ? to : '/');

export default function SignInPage() {
  const { t } = useTranslation();
  const { to }: { to?: unknown } = useSearch({ strict: false });
  const form = useForm({ initialValues: { email: '', password: '' } });
  // A new page: nothing of another account stays in memory.
  const signIn = useMutation({
    ...signInMutation(),
    meta: { showsErrors: true },
    onSuccess: () => location.replace(ownPath(to)),
  });
  const isRedeemed = useRef(false);
  const { mutate } = signIn;
  useEffect(() => {
    if (!linkToken || isRedeemed.current) return;
    isRedeemed.current = true;
    mutate({ body: { token: linkToken } });
  }, [mutate]);

  if (linkToken && !signIn.error) {
    return (
      <SignInFrame title={t('signIn.title')}>
        <Text role="status">
          <Loader size="xs" mr="xs" />
          {t('signIn.withLink')}
        </Text>
      </SignInFrame>
    );
  }
  return (
    <SignInFrame title={t('signIn.title')}>
      <form onSubmit={form.onSubmit((body) => signIn.mutate({ body }))}>
        <Stack>
          {signIn.error && (
            <Alert color="red" role="alert">
              {failureText(signIn.error, t)}
            </Alert>
          )}
          <TextInput
            label={t('signIn.email')}
            type="email"
            autoComplete="username"
            required
            autoFocus
            {...form.getInputProps('email')}
          />
          <PasswordInput
            label={t('signIn.password')}
            autoComplete="current-password"
            required
            {...form.getInputProps('password')}
          />
          <Button type="submit" loading={signIn.isPending}>
            {t('signIn.submit')}
          </Button>
          <Anchor component={Link} to="/reset-password" size="sm">
            {t('signIn.forgotten')}
          </Anchor>
          <Text size="sm" c="dimmed">
            {t('signIn.noPassword')}
          </Text>
        </Stack>
      </form>
    </SignInFrame>
  );
}

function failureText(error: unknown, t: TFunction): string {
  if (error instanceof ApiError && error.code === 'SIGN_IN_LINK_INVALID') return t('signIn.linkInvalid');
  return error instanceof ApiError && error.status === 401 ? t('signIn.wrong') : errorText(error);
}
