import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SuppressionResponse } from '../../../generated';
import { blockNumberMutation, liftSuppressionMutation } from '../../../generated/@tanstack/react-query.gen';
import { useReadAgain } from '../../api/read-again';
import { errorText } from '../notify';

/** The bounds of the API. */
const MAX_REASON_CHARACTERS = 200;
const MAX_NUMBER_CHARACTERS = 40;

/** @param props.reason what is suggested as the reason. */
export function LiftModal({
  block,
  reason,
  onClose,
}: {
  readonly block: SuppressionResponse;
  readonly reason?: string;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const onSuccess = useRefreshBlocks(onClose);
  const lift = useMutation({ ...liftSuppressionMutation(), meta: { showsErrors: true }, onSuccess });
  return (
    <ReasonModal
      title={t('blocks.liftTitle', { number: block.number })}
      text={t('blocks.liftText')}
      submit={t('blocks.lift')}
      isRequired
      initialReason={reason}
      isPending={lift.isPending}
      error={lift.error}
      onSubmit={(given) => lift.mutate({ path: { id: block._id }, body: { reason: given } })}
      onClose={onClose}
    />
  );
}

/** @param props.number absent: it is asked for. */
export function BlockModal({ number, onClose }: { readonly number?: string; readonly onClose: () => void }) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState('');
  const onSuccess = useRefreshBlocks(onClose);
  const block = useMutation({ ...blockNumberMutation(), meta: { showsErrors: true }, onSuccess });
  return (
    <ReasonModal
      title={number === undefined ? t('blocks.addAny') : t('blocks.addTitle', { number })}
      text={t('blocks.addText')}
      submit={t('blocks.add')}
      isPending={block.isPending}
      error={block.error}
      onSubmit={(reason) => block.mutate({ body: { number: number ?? typed, ...(reason && { reason }) } })}
      onClose={onClose}
    >
      {number === undefined && (
        <TextInput
          label={t('blocks.number')}
          type="tel"
          required
          maxLength={MAX_NUMBER_CHARACTERS}
          data-autofocus
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      )}
    </ReasonModal>
  );
}

function useRefreshBlocks(onDone: () => void): () => Promise<void> {
  const readAgain = useReadAgain('block');
  return () => {
    onDone();
    return readAgain();
  };
}

/** The two ways to decide on a number that is held. */
export function HeldButtons({ block }: { readonly block: SuppressionResponse }) {
  const { t } = useTranslation();
  const [isLifting, setLifting] = useState(false);
  const onSuccess = useRefreshBlocks(() => undefined);
  const decide = useMutation({ ...blockNumberMutation(), onSuccess });
  const { number, topic } = block;
  return (
    <Group gap="xs">
      <Button
        size="compact-sm"
        color="red"
        variant="light"
        loading={decide.isPending}
        onClick={() => decide.mutate({ body: { number, ...(topic !== undefined && { topic }) } })}
      >
        {t('blocks.decideBlock')}
      </Button>
      <Button size="compact-sm" variant="default" onClick={() => setLifting(true)}>
        {t('blocks.decideAllow')}
      </Button>
      {isLifting && (
        <LiftModal block={block} reason={t('blocks.allowReason')} onClose={() => setLifting(false)} />
      )}
    </Group>
  );
}

function ReasonModal(props: {
  readonly title: string;
  readonly text: string;
  readonly submit: string;
  readonly isRequired?: boolean;
  readonly initialReason?: string;
  readonly isPending: boolean;
  readonly error: unknown;
  readonly onSubmit: (reason: string) => void;
  readonly onClose: () => void;
  readonly children?: React.ReactNode;
}) {
  const { t } = useTranslation();
  const { isRequired = false, initialReason = '' } = props;
  const [reason, setReason] = useState(initialReason);
  return (
    <Modal opened onClose={props.onClose} title={<span className="outside-text">{props.title}</span>}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          // A modal within a form, by React: the outer one is not submitted.
          event.stopPropagation();
          props.onSubmit(reason.trim());
        }}
      >
        <Stack>
          <Text size="sm">{props.text}</Text>
          {props.children}
          <TextInput
            label={t('blocks.reason')}
            required={isRequired}
            maxLength={MAX_REASON_CHARACTERS}
            data-autofocus={!props.children}
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
