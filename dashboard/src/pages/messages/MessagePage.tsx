import {
  Alert,
  Anchor,
  Button,
  Card,
  Code,
  Grid,
  Group,
  Menu,
  Modal,
  Spoiler,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  IconAlertCircle,
  IconArrowBackUp,
  IconArrowsRightLeft,
  IconBan,
  IconClock,
  IconDots,
  IconLock,
  IconRefresh,
  IconTrash,
} from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { MessageResponse } from '../../../generated';
import {
  deleteMessageMutation,
  explainMessageOptions,
  getAccountMessageOptions,
  listMessagesOptions,
} from '../../../generated/@tanstack/react-query.gen';
import { serviceUrl } from '../../api/base-path';
import { WITH_DELETED_DEVICES } from '../../api/deleted-devices';
import { blockedPhoneOf, sendAgainSearch } from '../../api/send-again';
import { useSenders } from '../../api/senders';
import { failureReason, failureRemedy } from '../../components/failure-text';
import { CopyButton } from '../../components/CopyButton';
import { messagePhone } from '../../components/message-phone';
import { MessageStatusBadge } from '../../components/MessageStatusBadge';
import { showSuccess } from '../../components/notify';
import { PageHeader } from '../../components/PageHeader';
import { QueryState } from '../../components/QueryState';
import { Time } from '../../components/Time';
import { isAsSet } from '../../components/wait-reasons';
import { useMessageActions } from './message-actions';
import { shownStatusOf } from '../../components/message-status';
import { canBeCancelled, numberOf, stateOf } from './message-state';
import { MessageDetails } from './MessageDetails';
import { MoveMessagesModal } from './MoveMessagesModal';
import { MessageTimeline } from './MessageTimeline';
import { curlOf } from './send-again';
import { useNow } from './use-now';
import { useTexts } from './use-texts';

/** Longer texts are folded. */
const MAX_TEXT_HEIGHT = 320;

/** Messages to the number that are looked through, the newest first, and those of them that are shown. */
const MAX_SINCE = 50;
const SHOWN_SINCE = 3;

export default function MessagePage() {
  const { t } = useTranslation();
  const { id = '' } = useParams({ strict: false });
  const message = useQuery(getAccountMessageOptions({ path: { id }, query: WITH_DELETED_DEVICES }));
  if (!message.data) {
    return (
      <>
        <PageHeader title={t('messages.message')} />
        <QueryState query={message} lines={8}>
          {() => null}
        </QueryState>
      </>
    );
  }
  return <MessageView message={message.data.data} />;
}

function MessageView({ message }: { readonly message: MessageResponse }) {
  const { t } = useTranslation();
  const isReceived = message.direction === 'received';
  const title = t(isReceived ? 'messages.messageFrom' : 'messages.messageTo', {
    number: numberOf(message) || t('common.unknown'),
  });
  return (
    <>
      <PageHeader
        title={title}
        description={
          <Group gap="xs" mt={4}>
            <MessageStatusBadge status={shownStatusOf(message)} />
            <Time value={message.receivedAt ?? message.requestedAt ?? message.createdAt} />
          </Group>
        }
        actions={<Actions message={message} />}
      />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack>
            <StateAlert message={message} />
            <LaterReports message={message} />
            <TextCard message={message} />
            <Card>
              <MessageTimeline id={message._id} />
            </Card>
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack>
            <Card>
              <MessageDetails message={message} />
            </Card>
            {!isReceived && <CurlCard message={message} />}
          </Stack>
        </Grid.Col>
      </Grid>
    </>
  );
}

/** What is wrong, and what to do. */
function StateAlert({ message }: { readonly message: MessageResponse }) {
  const { t, state: words } = useTexts();
  const { sendAgain } = useMessageActions();
  const { devices } = useSenders();
  const state = stateOf(message, useNow());
  const explanation = useQuery({
    ...explainMessageOptions({ path: { id: message._id } }),
    enabled: state.kind === 'failed',
  });
  if (state.kind === 'failed') {
    const step = explanation.data?.data.steps.findLast(({ code }) => code === 'failed');
    const said = step?.facts.reported;
    const blocked = message.laterReports ? undefined : blockedPhoneOf(message, devices);
    const isResent = !message.laterReports && (blocked === undefined || message.encrypted);
    return (
      <Alert color="red" icon={<IconAlertCircle />} title={t('messages.alerts.failed')}>
        <Stack gap="xs" align="flex-start">
          <Text size="sm" className="outside-text">
            {failureReason(t, message.errorCode)}{' '}
            {!message.laterReports && failureRemedy(t, message.errorCode)}
          </Text>
          {said !== undefined && (
            <Text size="sm" c="dimmed" className="outside-text">
              {t('messages.phoneSaid')} <q>{said}</q>
            </Text>
          )}
          <SentSince message={message} />
          {blocked && (
            <Text size="sm" fw={500} className="outside-text">
              {t('messages.phoneBlocked', { phone: messagePhone(t, message.device) })}
            </Text>
          )}
          <Group gap="xs">
            {isResent && (
              <Button
                size="xs"
                variant="default"
                leftSection={<IconRefresh size={14} aria-hidden />}
                loading={sendAgain.isPending}
                onClick={() => sendAgain.mutate(message)}
              >
                {t('messages.sendAgain')}
              </Button>
            )}
            {!message.encrypted && (
              <Button
                renderRoot={(root) => (
                  <Link to="/send" search={sendAgainSearch(message, devices)} {...root} />
                )}
                size="xs"
                variant="default"
              >
                {t('messages.sendOtherwise')}
              </Button>
            )}
          </Group>
        </Stack>
      </Alert>
    );
  }
  if (state.kind === 'waits' || state.kind === 'due') {
    const isWanted = state.kind === 'due' || isAsSet(state.reason);
    return (
      <Alert color={isWanted ? 'gray' : 'orange'} icon={<IconClock />} title={t('messages.alerts.waits')}>
        {words(state)}
      </Alert>
    );
  }
  if (state.kind !== 'unanswered' && state.kind !== 'unreported') return null;
  return (
    <Alert color="orange" icon={<IconClock />} title={words(state)}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{t(`messages.alerts.${state.kind}`)}</Text>
        <Button component={Link} to={`/phones/${message.device._id}`} size="xs" variant="default">
          {t('messages.toPhone')}
        </Button>
      </Stack>
    </Alert>
  );
}

/** The same text to the same number since: a person who sees it does not send it once more. */
function SentSince({ message }: { readonly message: MessageResponse }) {
  const { t } = useTranslation();
  const { _id: id, recipient, message: text, createdAt, encrypted } = message;
  const { data } = useQuery({
    ...listMessagesOptions({
      query: { recipient, direction: 'sent', from: createdAt, limit: MAX_SINCE, ...WITH_DELETED_DEVICES },
    }),
    enabled: Boolean(recipient) && encrypted !== true,
  });
  const since = data?.data.filter((other) => other._id !== id && other.message === text) ?? [];
  if (since.length === 0) return null;
  return (
    <Stack gap={4} role="status">
      {since.slice(0, SHOWN_SINCE).map((other) => (
        <Group key={other._id} gap="xs">
          <Anchor
            size="sm"
            c="inherit"
            underline="always"
            renderRoot={(root) => <Link to="/messages/$id" params={{ id: other._id }} {...root} />}
          >
            {t('messages.sentSince')} <Time value={other.requestedAt ?? other.createdAt} />
          </Anchor>
          <MessageStatusBadge status={shownStatusOf(other)} />
        </Group>
      ))}
    </Stack>
  );
}

/** What the phone reported after the final status, and what to do. */
function LaterReports({ message }: { readonly message: MessageResponse }) {
  const { t } = useTranslation();
  if (!message.laterReports) return null;
  return (
    <Alert color="yellow" icon={<IconAlertCircle />} title={t('messages.later.title')}>
      {message.laterReports.map(({ status, at }) => (
        <Text key={status} size="sm">
          {t(`messages.later.${status}`)} <Time value={at} />
        </Text>
      ))}
    </Alert>
  );
}

function TextCard({ message }: { readonly message: MessageResponse }) {
  const { t } = useTranslation();
  return (
    <Card component="section" aria-labelledby="text">
      <Group justify="space-between" mb="xs">
        <Title order={2} id="text">
          {t('messages.text')}
        </Title>
        {!message.encrypted && <CopyButton value={message.message ?? ''} label={t('messages.copyText')} />}
      </Group>
      {message.encrypted ? (
        <Text c="dimmed">
          <IconLock size={16} aria-hidden /> {t('messages.encryptedHint')}
        </Text>
      ) : (
        <Spoiler
          maxHeight={MAX_TEXT_HEIGHT}
          showLabel={t('messages.showAll')}
          hideLabel={t('messages.showLess')}
        >
          <Text className="outside-text" dir="auto">
            {message.message}
          </Text>
        </Spoiler>
      )}
      {message.truncated && (
        <Text size="xs" c="dimmed" mt="xs">
          {t('messages.truncated')}
        </Text>
      )}
      {message.repairedFields?.map((field) => (
        <Text key={field} size="xs" c="dimmed" mt="xs">
          {t(`messages.repaired.${field}`)}
        </Text>
      ))}
      {message.isLoopTest && (
        <Text size="xs" c="dimmed" mt="xs">
          {t('messages.loopTest')}
        </Text>
      )}
      {message.overLimit && (
        <Text size="xs" c="dimmed" mt="xs">
          {t('messages.overLimit')}
        </Text>
      )}
    </Card>
  );
}

function CurlCard({ message }: { readonly message: MessageResponse }) {
  const { t } = useTranslation();
  const command = curlOf(message, serviceUrl());
  return (
    <Card component="section" aria-labelledby="curl">
      <Group justify="space-between" mb={4}>
        <Title order={2} id="curl">
          {t('messages.asCurl')}
        </Title>
        <CopyButton value={command} label={t('messages.copyCurl')} />
      </Group>
      <Text size="xs" c="dimmed" mb="xs">
        {t('messages.curlHint')}
      </Text>
      <Code block mah={280} tabIndex={0} className="outside-text" aria-labelledby="curl" role="group">
        {command}
      </Code>
    </Card>
  );
}

function Actions({ message }: { readonly message: MessageResponse }) {
  const { t } = useTranslation();
  const { cancel, sendAgain, readAgain } = useMessageActions();
  const [isDeleting, deleting] = useDisclosure();
  const [isMoving, moving] = useDisclosure();
  const isSent = message.direction === 'sent';
  const isSettled = !canBeCancelled(message);
  return (
    <>
      {numberOf(message) && (
        <Button
          renderRoot={(props) => (
            <Link to="/conversations/$number" params={{ number: numberOf(message) }} {...props} />
          )}
          leftSection={<IconArrowBackUp size={16} aria-hidden />}
        >
          {t(isSent ? 'messages.conversation' : 'messages.reply')}
        </Button>
      )}
      {message.status === 'pending' && (
        <Button
          variant="default"
          leftSection={<IconArrowsRightLeft size={16} aria-hidden />}
          onClick={moving.open}
        >
          {t('messages.move.action')}
        </Button>
      )}
      {!isSettled && (
        <Button
          variant="default"
          leftSection={<IconBan size={16} aria-hidden />}
          loading={cancel.isPending}
          onClick={() => cancel.mutate({ path: { id: message._id } })}
        >
          {t('messages.cancelIt')}
        </Button>
      )}
      {isSettled && (
        <Menu position="bottom-end">
          <Menu.Target>
            <Button variant="default" px="xs" aria-label={t('common.more')}>
              <IconDots size={16} aria-hidden />
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {/* The alert of a failed message has this button. */}
            {isSent && shownStatusOf(message) !== 'failed' && (
              <Menu.Item
                leftSection={<IconRefresh size={16} aria-hidden />}
                onClick={() => sendAgain.mutate(message)}
              >
                {t('messages.sendAgain')}
              </Menu.Item>
            )}
            <Menu.Item color="red" leftSection={<IconTrash size={16} aria-hidden />} onClick={deleting.open}>
              {t('messages.remove.action')}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
      {isMoving && <MoveMessagesModal messages={[message]} onMoved={readAgain} onClose={moving.close} />}
      {isDeleting && <DeleteMessage message={message} onClose={deleting.close} />}
    </>
  );
}

/** There is no way back, so the number is typed. */
function DeleteMessage({
  message,
  onClose,
}: {
  readonly message: MessageResponse;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [typed, setTyped] = useState('');
  const name = numberOf(message) || message._id;
  const remove = useMutation({
    ...deleteMessageMutation(),
    onSuccess: async () => {
      showSuccess(t('messages.remove.done'));
      await navigate({ to: '/messages', replace: true });
      await queries.invalidateQueries({
        predicate: ({ queryKey: [first] }) => (first as { _id?: string })._id === 'listMessages',
      });
    },
  });
  return (
    <Modal opened onClose={onClose} title={t('messages.remove.action')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          remove.mutate({ path: { id: message._id } });
        }}
      >
        <Stack>
          <Text size="sm">{t('messages.remove.text')}</Text>
          <TextInput
            label={<span className="outside-text">{t('common.typeToConfirm', { name })}</span>}
            value={typed}
            onChange={({ currentTarget: { value } }) => setTyped(value)}
            data-autofocus
            autoComplete="off"
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" color="red" disabled={typed.trim() !== name} loading={remove.isPending}>
              {t('common.delete')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
