import { ActionIcon, Alert, Button, Group, Modal, Stack, Text, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconCalendarTime, IconPlayerPause, IconPlayerPlay, IconX } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { BatchSummaryResponse } from '../../../generated';
import {
  cancelAccountBatchMutation,
  pauseBatchMutation,
  rescheduleBatchMutation,
  resumeBatchMutation,
} from '../../../generated/@tanstack/react-query.gen';
import { countsOf } from '../../components/batch-counts';
import { errorText, showSuccess, showUndo } from '../../components/notify';
import { useTimeZone } from '../../preferences/time-zone';
import { clockAt, instantOf } from '../../preferences/zoned-time';
import { phaseOf } from './progress';
import { ScheduleFields } from './ScheduleFields';

/** Pausing, resuming, rescheduling and cancelling, as far as they are possible now. */
export function CampaignActions({
  batch,
  isCompact = false,
}: {
  readonly batch: BatchSummaryResponse;
  readonly isCompact?: boolean;
}) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [isCancelling, cancelling] = useDisclosure();
  const [isRescheduling, rescheduling] = useDisclosure();
  const options = { path: { id: batch._id } };
  const readAgain = () => queries.invalidateQueries();
  const pause = useMutation({ ...pauseBatchMutation(), onSuccess: readAgain });
  const resume = useMutation({ ...resumeBatchMutation(), onSuccess: readAgain });
  const { pending } = countsOf(batch);
  const isPaused = batch.pausedAt !== undefined;
  const hasLeft = pending !== batch.recipientCount;
  if (pending === 0 && ['finished', 'cancelled'].includes(phaseOf(batch))) return null;

  const onPause = () =>
    pause.mutate(options, {
      onSuccess: () => showUndo(t('campaigns.wasPaused'), () => resume.mutate(options)),
    });
  const onResume = () =>
    resume.mutate(options, {
      onSuccess: () => showUndo(t('campaigns.wasResumed'), () => pause.mutate(options)),
    });
  const isBusy = pause.isPending || resume.isPending;
  return (
    <>
      {pending > 0 && !isPaused && (
        <Action
          isCompact={isCompact}
          label={t('campaigns.pause')}
          icon={<IconPlayerPause size={16} />}
          onClick={onPause}
          isBusy={isBusy}
        />
      )}
      {isPaused && (
        <Action
          isCompact={isCompact}
          label={t('campaigns.resume')}
          icon={<IconPlayerPlay size={16} />}
          onClick={onResume}
          isBusy={isBusy}
        />
      )}
      {!hasLeft && (
        <Action
          isCompact={isCompact}
          label={t('campaigns.reschedule')}
          icon={<IconCalendarTime size={16} />}
          onClick={rescheduling.open}
        />
      )}
      <Action
        isCompact={isCompact}
        label={t('campaigns.cancel')}
        icon={<IconX size={16} />}
        onClick={cancelling.open}
        color="red"
      />
      <Modal opened={isCancelling} onClose={cancelling.close} title={t('campaigns.cancelTitle')}>
        <CancelForm batch={batch} onClose={cancelling.close} />
      </Modal>
      <Modal opened={isRescheduling} onClose={rescheduling.close} title={t('campaigns.reschedule')}>
        <RescheduleForm batch={batch} onClose={rescheduling.close} />
      </Modal>
    </>
  );
}

function Action(props: {
  readonly isCompact: boolean;
  readonly label: string;
  readonly icon: ReactNode;
  readonly onClick: () => void;
  readonly isBusy?: boolean;
  readonly color?: string;
}) {
  const { isCompact, label, icon, onClick, isBusy = false, color = 'gray' } = props;
  if (!isCompact)
    return (
      <Button
        variant={color === 'red' ? 'light' : 'default'}
        color={color}
        leftSection={icon}
        onClick={onClick}
        loading={isBusy}
      >
        {label}
      </Button>
    );
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="light"
        color={color}
        size="lg"
        onClick={onClick}
        loading={isBusy}
        aria-label={label}
      >
        {icon}
      </ActionIcon>
    </Tooltip>
  );
}

interface FormProps {
  readonly batch: BatchSummaryResponse;
  readonly onClose: () => void;
}

function CancelForm({ batch, onClose }: FormProps) {
  const { t, i18n } = useTranslation();
  const queries = useQueryClient();
  const { pending, dispatched } = countsOf(batch);
  const cancel = useMutation({
    ...cancelAccountBatchMutation(),
    onSuccess: ({ data }) => {
      showSuccess(
        data.cancelledCount === 0
          ? t('campaigns.nothingCancelled')
          : t('campaigns.wasCancelled', { count: data.cancelledCount }),
      );
      onClose();
      return queries.invalidateQueries();
    },
  });
  const format = (count: number) => new Intl.NumberFormat(i18n.language).format(count);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        cancel.mutate({ path: { id: batch._id } });
      }}
    >
      <Stack>
        {pending > 0 && (
          <Text>{t('campaigns.cancelWaiting', { count: pending, number: format(pending) })}</Text>
        )}
        {dispatched > 0 && (
          <Text>{t('campaigns.cancelOnPhone', { count: dispatched, number: format(dispatched) })}</Text>
        )}
        <Text c="dimmed" size="sm">
          {t(pending > 0 ? 'campaigns.cancelFinal' : 'campaigns.noneWaits')}
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('campaigns.keep')}
          </Button>
          <Button type="submit" color="red" loading={cancel.isPending}>
            {t('campaigns.cancelNow', { count: pending + dispatched, number: format(pending + dispatched) })}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function RescheduleForm({ batch, onClose }: FormProps) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [timeZone] = useTimeZone();
  const [zone, setZone] = useState(timeZone);
  const [clock, setClock] = useState(() =>
    clockAt(new Date(batch.scheduledAt ?? Date.now() + 3_600_000), zone),
  );
  const reschedule = useMutation({
    ...rescheduleBatchMutation(),
    meta: { showsErrors: true },
    onSuccess: () => {
      showSuccess(t('campaigns.wasRescheduled'));
      onClose();
      return queries.invalidateQueries();
    },
  });
  const instant = instantOf(clock, zone);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (instant)
          reschedule.mutate({ path: { id: batch._id }, body: { scheduledAt: instant.toISOString() } });
      }}
    >
      <Stack>
        <ScheduleFields clock={clock} zone={zone} onClock={setClock} onZone={setZone} />
        {reschedule.error && <Alert color="red">{errorText(reschedule.error)}</Alert>}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('common.close')}
          </Button>
          <Button type="submit" disabled={!instant} loading={reschedule.isPending}>
            {t('campaigns.reschedule')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
