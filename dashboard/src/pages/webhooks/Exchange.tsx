import { Badge, Code, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../components/CopyButton';
import classes from './Webhooks.module.css';
import { useDuration } from './use-webhooks';

const MAX_KEPT = 1_000;

const requestLine = (url: string) => `POST ${url}`;

/** What was posted to an endpoint, and what it answered, which may be anything. */
export function Exchange(props: {
  readonly url: string | undefined;
  readonly payload: object;
  readonly status: number | undefined;
  readonly body: string | undefined;
  readonly error: string | undefined;
  readonly durationMs: number | undefined;
  readonly isAnswered: boolean;
}) {
  const { t } = useTranslation();
  const duration = useDuration();
  const { status, body, error, durationMs } = props;
  const request = JSON.stringify(props.payload, null, 2);
  return (
    <Stack>
      <Part title={t('webhooks.exchange.request')}>
        {props.url && (
          <Code block className={`outside-text ${classes.code}`} style={{ whiteSpace: 'pre-wrap' }}>
            {requestLine(props.url)}
          </Code>
        )}
        <Body label={t('webhooks.exchange.requestBody')} text={request} />
      </Part>
      {props.isAnswered && (
        <Part title={t('webhooks.exchange.answer')}>
          <Group gap="xs">
            {status !== undefined && (
              <Badge variant="light" color={status < 300 ? 'teal' : 'red'} className="numeric">
                {status}
              </Badge>
            )}
            {durationMs !== undefined && (
              <Text size="sm" c="dimmed" className="numeric">
                {duration(durationMs)}
              </Text>
            )}
          </Group>
          {error && (
            <Text size="sm" className="outside-text">
              {error}
            </Text>
          )}
          {body ? (
            <Body label={t('webhooks.exchange.answerBody')} text={body} />
          ) : (
            <Text size="sm" c="dimmed">
              {t(status === undefined ? 'webhooks.exchange.noAnswer' : 'webhooks.exchange.emptyAnswer')}
            </Text>
          )}
          {(body?.length ?? 0) >= MAX_KEPT && (
            <Text size="xs" c="dimmed">
              {t('webhooks.exchange.cut')}
            </Text>
          )}
        </Part>
      )}
    </Stack>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Stack gap="xs">
      <Title order={3}>{title}</Title>
      {children}
    </Stack>
  );
}

function Body({ label, text }: { readonly label: string; readonly text: string }) {
  const { t } = useTranslation();
  return (
    <Stack gap={2}>
      <Group justify="space-between" gap="xs">
        <Text size="xs" c="dimmed">
          {label}
        </Text>
        <CopyButton value={text} label={t('webhooks.exchange.copyBody')} />
      </Group>
      <Code
        block
        className={`outside-text ${classes.code}`}
        tabIndex={0}
        role="region"
        aria-label={label}
        style={{ whiteSpace: 'pre-wrap', maxHeight: 320, overflowY: 'auto' }}
      >
        {text}
      </Code>
    </Stack>
  );
}
