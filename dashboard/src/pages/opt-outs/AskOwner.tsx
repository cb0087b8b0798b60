import { Alert, Button, Group, Loader, Stack, Text } from '@mantine/core';
import { IconMessageQuestion } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { updateConsentSettings } from '../../../generated';
import { useReadAgain } from '../../api/read-again';
import { errorText, showSuccess } from '../../components/notify';
import { readCandidates, suppressCandidates } from './candidates';

/** Texts of so many people are quoted. */
const MAX_QUOTED = 3;

/** Asks the owner of an account in which STOP does nothing to switch it on, and to block those who wrote it before. */
export function AskOwner({ asked }: { readonly asked: boolean }) {
  const { t } = useTranslation();
  const candidates = useQuery({
    queryKey: [{ _id: 'listOptOutCandidates' }, 'all'],
    queryFn: ({ signal }) => readCandidates(signal),
    refetchInterval: false,
    staleTime: Infinity,
  });
  const decide = useMutation({
    meta: { showsErrors: true },
    mutationFn: async ({ enabled, suppresses }: { enabled: boolean; suppresses: boolean }) => {
      await updateConsentSettings({ body: { enabled }, throwOnError: true });
      return suppresses ? suppressCandidates() : undefined;
    },
    onSuccess: (count) => {
      if (count !== undefined) showSuccess(t('optOuts.ask.blocked', { count }));
    },
    onSettled: useReadAgain('consent', 'block'),
  });
  const found = candidates.data;
  const count = found?.length ?? 0;
  const quoted = found?.slice(0, MAX_QUOTED).map(({ number, words }) => `${number}: "${words}"`) ?? [];
  return (
    <Alert
      color="yellow"
      icon={<IconMessageQuestion aria-hidden />}
      title={t('optOuts.ask.title')}
      mb="lg"
      role="status"
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{t('optOuts.ask.text')}</Text>
        {candidates.isPending && (
          <Group gap="xs">
            <Loader size="xs" aria-hidden />
            <Text size="sm">{t('optOuts.ask.counting')}</Text>
          </Group>
        )}
        {count > 0 && (
          <Text size="sm" className="outside-text">
            <Text span inherit fw={600}>
              {t('optOuts.ask.people', { count })}
            </Text>{' '}
            {quoted.join(', ')}
          </Text>
        )}
        {(decide.error ?? candidates.error) && (
          <Text size="sm" c="red" className="outside-text">
            {errorText(decide.error ?? candidates.error)}
          </Text>
        )}
        <Group gap="xs">
          <Button
            size="xs"
            loading={decide.isPending}
            disabled={candidates.isPending}
            onClick={() => decide.mutate({ enabled: true, suppresses: count > 0 })}
          >
            {count > 0 ? t('optOuts.ask.switchOnAndBlock', { count }) : t('optOuts.ask.switchOn')}
          </Button>
          {count > 0 && (
            <Button
              size="xs"
              variant="default"
              onClick={() => decide.mutate({ enabled: true, suppresses: false })}
            >
              {t('optOuts.ask.switchOnOnly')}
            </Button>
          )}
          {!asked && (
            <Button
              size="xs"
              variant="subtle"
              onClick={() => decide.mutate({ enabled: false, suppresses: false })}
            >
              {t('optOuts.ask.notNow')}
            </Button>
          )}
        </Group>
      </Stack>
    </Alert>
  );
}
