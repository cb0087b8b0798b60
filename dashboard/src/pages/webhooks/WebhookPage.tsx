import { ActionIcon, Alert, Button, Card, Group, List, Menu, Stack, Tabs, Text, Title } from '@mantine/core';
import {
  IconAlertTriangle,
  IconDots,
  IconKey,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconRefresh,
  IconTrash,
  IconWebhook,
} from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import {
  deleteWebhookMutation,
  getWebhookOptions,
  updateWebhookMutation,
} from '../../../generated/@tanstack/react-query.gen';
import { ApiError } from '../../api/client';
import { useReadAgain } from '../../api/read-again';
import { ConfirmByName } from '../../components/ConfirmByName';
import { CopyButton } from '../../components/CopyButton';
import { EmptyState } from '../../components/EmptyState';
import { showSuccess, showUndo } from '../../components/notify';
import { PageHeader } from '../../components/PageHeader';
import { LoadingSkeleton, QueryState } from '../../components/QueryState';
import { Time } from '../../components/Time';
import { WebhookBadge } from './badges';
import { DeliveriesPanel } from './DeliveriesPanel';
import { DeliveryDrawer } from './DeliveryDrawer';
import { Figure, FigureRow } from './FigureRow';
import { ReplayModal } from './ReplayModal';
import { RotateSecretModal } from './RotateSecretModal';
import { ShownSecret } from './SecretField';
import { TestPanel } from './TestPanel';
import { useAddress, useWebhookState } from './use-webhooks';
import classes from './Webhooks.module.css';
import { type Webhook, webhookName, type WebhookState } from './webhook';
import { WebhookForm } from './WebhookForm';

const VerificationPanel = lazy(() => import('./VerificationPanel'));

const TABS = ['deliveries', 'test', 'verify', 'settings'] as const;

export default function WebhookPage() {
  const { t } = useTranslation();
  const { id = '' } = useParams({ strict: false });
  const webhook = useQuery(getWebhookOptions({ path: { webhookId: id } }));
  const isUnknown =
    webhook.error instanceof ApiError && webhook.error.status < 500 && webhook.error.status > 0;
  if (isUnknown) {
    return (
      <>
        <PageHeader title={t('webhooks.title')} />
        <EmptyState
          icon={<IconWebhook size={30} aria-hidden />}
          title={t('common.notFound')}
          text={t('webhooks.unknownWebhook')}
          action={
            <Button component={Link} to="/webhooks">
              {t('webhooks.toList')}
            </Button>
          }
        />
      </>
    );
  }
  return <QueryState query={webhook}>{({ data }) => <WebhookDetails webhook={data} />}</QueryState>;
}

function WebhookDetails({ webhook }: { readonly webhook: Webhook }) {
  const { t } = useTranslation();
  const state = useWebhookState(webhook);
  const [{ tab, delivery }, change] = useAddress();
  return (
    <>
      <PageHeader
        title={webhookName(webhook)}
        description={
          <Group gap="xs">
            <WebhookBadge state={state} />
            <Group gap={2} wrap="nowrap" style={{ minWidth: 0 }}>
              <span className="outside-text">{webhook.deliveryUrl}</span>
              <CopyButton value={webhook.deliveryUrl} />
            </Group>
          </Group>
        }
        actions={<Actions webhook={webhook} />}
      />
      <Stack>
        <Trouble webhook={webhook} state={state} />
        <Card>
          <FigureRow webhook={webhook} />
        </Card>
        <Tabs
          value={TABS.find((each) => each === tab) ?? 'deliveries'}
          onChange={(to) => change({ tab: to === 'deliveries' ? undefined : (to ?? undefined) })}
          keepMounted={false}
        >
          <Tabs.List aria-label={t('webhooks.tabs.label')} className={classes.tabs}>
            {TABS.map((each) => (
              <Tabs.Tab key={each} value={each}>
                {t(`webhooks.tabs.${each}`)}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Tabs.Panel value="deliveries" pt="md">
            <DeliveriesPanel webhook={webhook} />
          </Tabs.Panel>
          <Tabs.Panel value="test" pt="md">
            <TestPanel webhook={webhook} />
          </Tabs.Panel>
          <Tabs.Panel value="verify" pt="md">
            <Suspense fallback={<LoadingSkeleton lines={6} />}>
              <VerificationPanel webhook={webhook} />
            </Suspense>
          </Tabs.Panel>
          <Tabs.Panel value="settings" pt="md">
            <Settings webhook={webhook} />
          </Tabs.Panel>
        </Tabs>
      </Stack>
      {delivery && (
        <DeliveryDrawer
          id={delivery}
          isActive={webhook.isActive}
          onClose={() => change({ delivery: undefined })}
        />
      )}
    </>
  );
}

/** Pauses and resumes. What waited when it was paused has failed, so that undoing does not bring it back by itself. */
function usePause(webhook: Webhook) {
  const { t } = useTranslation();
  const update = useMutation({ ...updateWebhookMutation(), onSuccess: useReadAgain('webhook', 'delivery') });
  const path = { webhookId: webhook._id };
  const name = webhookName(webhook);
  const set = async (isActive: boolean) => {
    await update.mutateAsync({ path, body: { isActive } });
    const message = t(isActive ? 'webhooks.resumed' : 'webhooks.pausedNow', { name });
    showUndo(message, () => update.mutate({ path, body: { isActive: !isActive } }));
  };
  return {
    isPending: update.isPending,
    // The failure is shown for all mutations.
    set: (isActive: boolean) => void set(isActive).catch(() => undefined),
  };
}

function ResumeButton({ webhook }: { readonly webhook: Webhook }) {
  const { t } = useTranslation();
  const pause = usePause(webhook);
  return (
    <Button
      leftSection={<IconPlayerPlay size={16} aria-hidden />}
      loading={pause.isPending}
      onClick={() => pause.set(true)}
    >
      {t('webhooks.resume')}
    </Button>
  );
}

function Actions({ webhook }: { readonly webhook: Webhook }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const refresh = useReadAgain('webhook', 'delivery');
  const pause = usePause(webhook);
  const [{ dialog }, change] = useAddress();
  const open = (name: string) => () => change({ dialog: name });
  const close = () => change({ dialog: undefined });
  const name = webhookName(webhook);
  const remove = useMutation({
    ...deleteWebhookMutation(),
    meta: { showsErrors: true },
    onSuccess: async () => {
      showSuccess(t('webhooks.remove.done', { name }));
      await navigate({ to: '/webhooks' });
      await refresh();
    },
  });
  return (
    <>
      {!webhook.isActive && <ResumeButton webhook={webhook} />}
      <Button variant="default" leftSection={<IconPencil size={16} aria-hidden />} onClick={open('edit')}>
        {t('webhooks.edit')}
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size="lg" aria-label={t('webhooks.actions', { name })}>
            <IconDots size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconRefresh size={16} aria-hidden />} onClick={open('replay')}>
            {t('webhooks.replay')}
          </Menu.Item>
          <Menu.Item leftSection={<IconKey size={16} aria-hidden />} onClick={open('rotate')}>
            {t('webhooks.rotate')}
          </Menu.Item>
          {webhook.isActive && (
            <Menu.Item
              leftSection={<IconPlayerPause size={16} aria-hidden />}
              onClick={() => pause.set(false)}
            >
              {t('webhooks.pause')}
            </Menu.Item>
          )}
          <Menu.Divider />
          <Menu.Item color="red" leftSection={<IconTrash size={16} aria-hidden />} onClick={open('delete')}>
            {t('webhooks.remove.action')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {dialog === 'edit' && <WebhookForm webhook={webhook} onClose={close} />}
      {dialog === 'replay' && <ReplayModal webhook={webhook} onClose={close} />}
      {dialog === 'rotate' && <RotateSecretModal webhook={webhook} onClose={close} />}
      {dialog === 'delete' && (
        <ConfirmByName
          title={t('webhooks.remove.title', { name })}
          text={t('webhooks.remove.text')}
          name={name}
          submit={t('webhooks.remove.submit')}
          isPending={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate({ path: { webhookId: webhook._id } })}
          onClose={close}
        />
      )}
    </>
  );
}

/** What is wrong, why, and what to do. */
function Trouble({ webhook, state }: { readonly webhook: Webhook; readonly state: WebhookState }) {
  const { t } = useTranslation();
  const [, change] = useAddress();
  if (state === 'active' || state === 'unused') return null;
  const note = state === 'autoPaused' ? webhook.notes?.at(-1) : undefined;
  return (
    <Alert
      color={state === 'paused' ? 'gray' : 'red'}
      icon={state === 'paused' ? <IconPlayerPause aria-hidden /> : <IconAlertTriangle aria-hidden />}
      title={t(`webhooks.trouble.${state}.title`)}
      role="status"
    >
      <Stack gap="xs" align="flex-start">
        {note && (
          <Text size="sm" className="outside-text">
            <Time value={note.at} /> {note.text}
          </Text>
        )}
        <Text size="sm">{t(`webhooks.trouble.${state}.text`)}</Text>
        <Group gap="xs">
          {state === 'autoPaused' && (
            <Button
              size="xs"
              variant="default"
              onClick={() => change({ tab: undefined, status: 'failed', page: undefined })}
            >
              {t('webhooks.trouble.seeFailed')}
            </Button>
          )}
          {state === 'secretLost' && (
            <Button size="xs" variant="default" onClick={() => change({ dialog: 'rotate' })}>
              {t('webhooks.rotate')}
            </Button>
          )}
        </Group>
      </Stack>
    </Alert>
  );
}

function Settings({ webhook }: { readonly webhook: Webhook }) {
  const { t, i18n } = useTranslation();
  const number = new Intl.NumberFormat(i18n.language);
  return (
    <Stack maw={760} gap="lg">
      <Stack gap="xs">
        <Title order={2}>{t('webhooks.settings.events')}</Title>
        <List spacing={4} size="sm">
          {webhook.events.map((event) => (
            <List.Item key={event}>
              <Text span size="sm" fw={600}>
                {t(`webhooks.event.${event}`)}
              </Text>
              {' · '}
              {t(`webhooks.meaning.${event}`)}
            </List.Item>
          ))}
        </List>
      </Stack>
      <ShownSecret value={webhook.signingSecret} />
      <Stack gap="xs">
        <Title order={2}>{t('webhooks.settings.details')}</Title>
        <Group gap="xl" className={classes.figures}>
          <Figure label={t('webhooks.figures.attempts')}>
            {number.format(webhook.deliveryAttemptCount)}
          </Figure>
          <Figure label={t('webhooks.figures.failedTotal')}>
            {number.format(webhook.deliveryFailureCount)}
          </Figure>
          <Figure label={t('webhooks.settings.created')}>
            <Time value={webhook.createdAt} />
          </Figure>
          <Figure label={t('webhooks.settings.changed')}>
            <Time value={webhook.updatedAt} />
          </Figure>
          <Figure label={t('webhooks.settings.id')}>
            <Group gap={4} wrap="nowrap">
              <span className="outside-text">{webhook._id}</span>
              <CopyButton value={webhook._id} />
            </Group>
          </Figure>
        </Group>
      </Stack>
      {webhook.notes && webhook.notes.length > 0 && (
        <Stack gap="xs">
          <Title order={2}>{t('webhooks.settings.notes')}</Title>
          {webhook.notes.toReversed().map(({ at, text }) => (
            <Text key={`${at}${text}`} size="sm" className="outside-text">
              <Time value={at} /> {text}
            </Text>
          ))}
        </Stack>
      )}
    </Stack>
  );
}
