import { Button, Card, Group, Stack, Text, ThemeIcon, Title, VisuallyHidden } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

const STEPS = ['pair', 'send', 'receive'] as const;
type Step = (typeof STEPS)[number];

/** What a new account does first, with ticks. */
export function FirstSteps({ done }: { readonly done: Readonly<Record<Step, boolean>> }) {
  const { t } = useTranslation();
  const next = STEPS.find((step) => !done[step]);
  const links = {
    pair: { to: '/phones', search: { pair: true } },
    send: { to: '/send', search: { text: t('overview.steps.send.text') } },
    receive: { to: '/webhooks', search: {} },
  } as const;
  return (
    <Card component="section" aria-label={t('overview.steps.title')} padding="lg">
      <Title order={2}>{t('overview.steps.title')}</Title>
      <Text c="dimmed" size="sm" mb="lg">
        {t('overview.steps.explanation')}
      </Text>
      <Stack component="ol" gap="lg" p={0} m={0} style={{ listStyle: 'none' }}>
        {STEPS.map((step, index) => (
          <Group key={step} component="li" wrap="nowrap" align="flex-start" gap="md">
            <ThemeIcon
              size={32}
              radius="xl"
              variant={done[step] || step !== next ? 'light' : 'filled'}
              color={done[step] ? 'teal' : step === next ? undefined : 'gray'}
              aria-hidden
            >
              {done[step] ? <IconCheck size={18} /> : index + 1}
            </ThemeIcon>
            <Stack gap={4} align="flex-start" style={{ minWidth: 0 }}>
              <Title order={3}>
                {t(`overview.steps.${step}.title`)}
                {done[step] && <VisuallyHidden>{` (${t('overview.steps.done')})`}</VisuallyHidden>}
              </Title>
              <Text size="sm" c="dimmed">
                {t(`overview.steps.${step}.explanation`)}
              </Text>
              {!done[step] && (
                <Button
                  mt={4}
                  variant={step === next ? 'filled' : 'default'}
                  renderRoot={(root) => <Link {...links[step]} {...root} />}
                >
                  {t(`overview.steps.${step}.action`)}
                </Button>
              )}
            </Stack>
          </Group>
        ))}
      </Stack>
    </Card>
  );
}
