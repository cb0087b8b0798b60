import { Anchor, Button, Card, Group, Stack, Text } from '@mantine/core';
import { IconPlus, IconWebhook } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { listWebhooksOptions } from '../../../generated/@tanstack/react-query.gen';
import { EmptyState } from '../../components/EmptyState';
import { PageHeader } from '../../components/PageHeader';
import { QueryState } from '../../components/QueryState';
import { WebhookBadge } from './badges';
import { FigureRow } from './FigureRow';
import { useAddress, useWebhookState } from './use-webhooks';
import { type Webhook, webhookName } from './webhook';
import { WebhookForm } from './WebhookForm';

/** The webhooks of the account, with what is wrong with them. */
export default function WebhooksPage() {
  const { t } = useTranslation();
  const webhooks = useQuery(listWebhooksOptions());
  const [{ dialog }, change] = useAddress();
  const add = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => change({ dialog: 'new' })}>
      {t('webhooks.add')}
    </Button>
  );
  return (
    <>
      <PageHeader
        title={t('webhooks.title')}
        description={t('webhooks.description')}
        actions={webhooks.data && webhooks.data.data.length > 0 && add}
      />
      <QueryState query={webhooks}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState
              icon={<IconWebhook size={30} aria-hidden />}
              title={t('webhooks.empty.title')}
              text={t('webhooks.empty.text')}
              action={add}
            />
          ) : (
            <Stack component="ul" p={0} m={0} gap="sm" aria-label={t('webhooks.listLabel')}>
              {data.map((webhook) => (
                <WebhookCard key={webhook._id} webhook={webhook} />
              ))}
            </Stack>
          )
        }
      </QueryState>
      {dialog === 'new' && <WebhookForm onClose={() => change({ dialog: undefined })} />}
    </>
  );
}

function WebhookCard({ webhook }: { readonly webhook: Webhook }) {
  const { t } = useTranslation();
  const state = useWebhookState(webhook);
  const isTrouble = state !== 'active' && state !== 'unused';
  return (
    <Card component="li" style={{ listStyle: 'none' }}>
      <Stack gap="xs">
        <Group justify="space-between" gap="xs" align="flex-start" wrap="nowrap">
          <Stack gap={2} style={{ minWidth: 0 }}>
            <Anchor
              component={Link}
              to={`/webhooks/${webhook._id}`}
              fw={600}
              c="inherit"
              className="outside-text"
            >
              {webhookName(webhook)}
            </Anchor>
            <Text size="sm" c="dimmed" className="outside-text" lineClamp={2}>
              {webhook.deliveryUrl}
            </Text>
          </Stack>
          <WebhookBadge state={state} />
        </Group>
        {isTrouble && (
          <Text size="sm" fw={500} c={state === 'paused' ? undefined : 'var(--mantine-color-error)'}>
            {t(`webhooks.trouble.${state}.title`)}
          </Text>
        )}
        <FigureRow webhook={webhook} />
      </Stack>
    </Card>
  );
}
