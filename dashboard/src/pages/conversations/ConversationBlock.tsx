import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { IconBan } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SuppressionResponse } from '../../../generated';
import { blockNumberMutation, liftSuppressionMutation } from '../../../generated/@tanstack/react-query.gen';
import { errorText } from '../../components/notify';
import { useTimeFormat } from '../../components/Time';

/** The bound of the API. */
const MAX_REASON_CHARACTERS = 200;

/** Whether messages to a number are stopped, who said so, and the ways to change it. */
export function ConversationBlock(props: {
  readonly number: string;
  readonly block: SuppressionResponse | undefined;
}) {
  const { t } = useTranslation();
  const { number, block } = props;
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      {block ? (
        <Alert
          color={block.state === 'out' ? 'red' : 'yellow'}
          icon={<IconBan aria-hidden />}
          title={t(`conversations.block.${block.state}`)}
          role="status"
        >
          <Stack gap="xs" align="flex-start">
            <BlockText block={block} />
            <Button size="compact-sm" variant="default" onClick={() => setOpen(true)}>
              {t('conversations.block.lift')}
            </Button>
          </Stack>
        </Alert>
      ) : (
        <div>
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            px={0}
            leftSection={<IconBan size={14} />}
            onClick={() => setOpen(true)}
          >
            {t('conversations.block.add')}
          </Button>
        </div>
      )}
      {isOpen &&
        (block ? (
          <LiftModal block={block} onClose={close} />
        ) : (
          <BlockModal number={number} onClose={close} />
        ))}
    </>
  );
}

function BlockText({ block }: { readonly block: SuppressionResponse }) {
  const { t } = useTranslation();
  const { short } = useTimeFormat();
  const { source, words, at, state, covers, outAt, reason, topic } = block;
  const said =
    source === 'keyword'
      ? t('conversations.block.saidByPerson', { words, time: short(at) })
      : t('conversations.block.saidByOwner', { time: short(at) });
  const effect = () => {
    if (topic !== undefined) return t('conversations.block.ofTopic', { topic });
    if (state === 'held' && outAt) return t('conversations.block.heldUntil', { time: short(outAt) });
    return t(`conversations.block.covers.${covers}`);
  };
  return (
    <Text size="sm" className="outside-text">
      {[said, reason, effect()].filter(Boolean).join(' ')}
    </Text>
  );
}

function LiftModal({
  block,
  onClose,
}: {
  readonly block: SuppressionResponse;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const onSuccess = useRefreshBlocks(onClose);
  const lift = useMutation({ ...liftSuppressionMutation(), meta: { showsErrors: true }, onSuccess });
  return (
    <ReasonModal
      title={t('conversations.block.liftTitle', { number: block.number })}
      text={t('conversations.block.liftText')}
      submit={t('conversations.block.lift')}
      isRequired
      isPending={lift.isPending}
      error={lift.error}
      onSubmit={(reason) => lift.mutate({ path: { id: block._id }, body: { reason } })}
      onClose={onClose}
    />
  );
}

function BlockModal({ number, onClose }: { readonly number: string; readonly onClose: () => void }) {
  const { t } = useTranslation();
  const onSuccess = useRefreshBlocks(onClose);
  const block = useMutation({ ...blockNumberMutation(), meta: { showsErrors: true }, onSuccess });
  return (
    <ReasonModal
      title={t('conversations.block.addTitle', { number })}
      text={t('conversations.block.addText')}
      submit={t('conversations.block.add')}
      isPending={block.isPending}
      error={block.error}
      onSubmit={(reason) => block.mutate({ body: { number, ...(reason && { reason }) } })}
      onClose={onClose}
    />
  );
}

function useRefreshBlocks(onDone: () => void): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    onDone();
    await queries.invalidateQueries({ queryKey: [{ _id: 'listSuppressions' }] });
  };
}

function ReasonModal(props: {
  readonly title: string;
  readonly text: string;
  readonly submit: string;
  readonly isRequired?: boolean;
  readonly isPending: boolean;
  readonly error: unknown;
  readonly onSubmit: (reason: string) => void;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const [reason, setReason] = useState('');
  const { isRequired = false } = props;
  return (
    <Modal opened onClose={props.onClose} title={<span className="outside-text">{props.title}</span>}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          props.onSubmit(reason.trim());
        }}
      >
        <Stack>
          <Text size="sm">{props.text}</Text>
          <TextInput
            label={t('conversations.block.reason')}
            required={isRequired}
            maxLength={MAX_REASON_CHARACTERS}
            data-autofocus
            value={reason}
            error={props.error ? errorText(props.error) : undefined}
            onChange={({ currentTarget }) => setReason(currentTarget.value)}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={props.onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={props.isPending} disabled={isRequired && reason.trim() === ''}>
              {props.submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
