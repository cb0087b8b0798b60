import { Alert, Button, Skeleton, Stack, Text } from '@mantine/core';
import { useTimeout } from '@mantine/hooks';
import { IconAlertCircle } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from './notify';

/** Shows a skeleton until there is data, and the API's own message if there is none. Data that is shown stays. */
export function QueryState<Data>(props: {
  readonly query: Pick<UseQueryResult<Data, unknown>, 'data' | 'error'> & { readonly refetch: () => unknown };
  readonly children: (data: Data) => ReactNode;
  /** Lines of the skeleton. */
  readonly lines?: number;
}) {
  const { data, error, refetch } = props.query;
  if (data !== undefined) return props.children(data);
  if (error) return <ErrorAlert error={error} retry={() => void refetch()} />;
  return <LoadingSkeleton lines={props.lines ?? 5} />;
}

export function ErrorAlert({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  const { t } = useTranslation();
  return (
    <Alert color="red" icon={<IconAlertCircle />} title={t('common.failed')}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm" className="outside-text">
          {errorText(error)}
        </Text>
        {retry && (
          <Button size="xs" variant="default" onClick={retry}>
            {t('common.tryAgain')}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** Says so after a second, in words. */
export function LoadingSkeleton({ lines }: { readonly lines: number }) {
  const { t } = useTranslation();
  const [isSlow, setSlow] = useState(false);
  useTimeout(() => setSlow(true), 1_000, { autoInvoke: true });
  return (
    <Stack gap="sm" role="status" aria-label={t('common.loading')}>
      {isSlow && (
        <Text size="sm" c="dimmed">
          {t('common.stillLoading')}
        </Text>
      )}
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={line} height={28} />
      ))}
    </Stack>
  );
}
