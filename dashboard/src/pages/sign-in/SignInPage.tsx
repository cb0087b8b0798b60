import { Alert, Anchor, Button, Loader, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { type SignInRequest, signOut, signIn } from '../../../generated';
import { BASE_PATH } from '../../api/base-path';
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

/** @throws ApiError if the service takes the page for one of another origin, and therefore sets no cookie. */
async function signInWithCookie(body: SignInRequest): Promise<void> {
  const { data } = await signIn({ body, throwOnError: true });
  const { accessToken } = data.data;
  if (accessToken === undefined) return;
  await signOut({ headers: { authorization: `Bearer ${accessToken}` } });
  throw new ApiError('', 'NO_COOKIE', 0);
}

export default function SignInPage() {
  const { t } = useTranslation();
  const { to, ended }: { to?: unknown; ended?: unknown } = useSearch({ strict: false });
  const form = useForm({ initialValues: { email: '', password: '' } });
  // A new page: nothing of another account stays in memory.
  const signingIn = useMutation({
    mutationFn: signInWithCookie,
    meta: { showsErrors: true },
    onSuccess: () => location.replace(BASE_PATH + ownPath(to)),
  });
  const isRedeemed = useRef(false);
  const { mutate } = signingIn;
  useEffect(() => {
    if (!linkToken || isRedeemed.current) return;
    isRedeemed.current = true;
    mutate({ token: linkToken });
  }, [mutate]);

  if (linkToken && !signingIn.error) {
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
      <form onSubmit={form.onSubmit((body) => signingIn.mutate(body))}>
        <Stack>
          {ended === true && !signingIn.error && (
            <Alert color="yellow" role="status">
              {t('signIn.ended')}
            </Alert>
          )}
          {signingIn.error && (
            <Alert color="red" role="alert">
              {failureText(signingIn.error, t)}
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
          <Button type="submit" loading={signingIn.isPending}>
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
  if (error instanceof ApiError && error.code === 'NO_COOKIE')
    return t('signIn.noCookie', { address: location.host });
  return error instanceof ApiError && error.status === 401 ? t('signIn.wrong') : errorText(error);
}
