import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../../components/CopyButton';
import type { PairingCode } from './use-pairing-code';

/** The code in large digits, in groups as people read them, and how long it is valid. */
export function CodePanel({ code, renew }: { readonly code: PairingCode; readonly renew: () => void }) {
  const { t } = useTranslation();
  const secondsLeft = useSecondsUntil(code.expiresAt);
  const isExpired = secondsLeft === 0;
  const digits = [code.code.slice(0, 4), code.code.slice(4, 7), code.code.slice(7)];
  return (
    <Paper withBorder p="sm" radius="md">
      <Stack gap={2} align="center">
        <Group gap={6} wrap="nowrap">
          <Text
            className="numeric"
            fz={30}
            fw={700}
            lh={1.2}
            aria-label={t('pairing.code', { code: digits.join(' ') })}
            role="img"
            {...(isExpired && { c: 'dimmed', td: 'line-through' })}
            style={{ whiteSpace: 'nowrap' }}
          >
            {digits.join('\u2002')}
          </Text>
          {!isExpired && <CopyButton value={code.code} label={t('pairing.copyCode')} />}
        </Group>
        {isExpired ? (
          <>
            <Text size="sm" role="status">
              {t('pairing.expired')}
            </Text>
            <Button size="xs" mt={4} onClick={renew}>
              {t('pairing.renew')}
            </Button>
          </>
        ) : (
          <Text size="sm" c="dimmed" role="timer" className="numeric">
            {t('pairing.validFor', { time: minutesAndSeconds(secondsLeft) })}
          </Text>
        )}
      </Stack>
    </Paper>
  );
}

function useSecondsUntil(time: string): number {
  const [now, setNow] = useState(Date.now);
  useInterval(() => setNow(Date.now()), 1_000, { autoInvoke: true });
  return Math.max(0, Math.ceil((new Date(time).getTime() - now) / 1_000));
}

const minutesAndSeconds = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
