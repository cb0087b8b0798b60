import { Button, Group, Modal, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { listSimsOptions, sendSmsMutation } from '../../../../generated/@tanstack/react-query.gen';
import { fieldErrors } from '../../../api/field-errors';
import { simTitle } from '../../../api/sim-name';
import { type Device, phoneName, simsIn } from '../../../components/phones/phone';
import { ErrorAlert } from '../../../components/QueryState';
import { MessageProgress } from './MessageProgress';

/** Sends a message from this phone, and shows what becomes of it. */
export function TestMessageModal({
  device,
  onClose,
}: {
  readonly device: Device;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const sims = simsIn(device._id, useQuery(listSimsOptions()).data?.data ?? []);
  const form = useForm({
    initialValues: {
      recipient: '',
      sim: null as string | null,
      message: t('phones.test.defaultText', { name: phoneName(device) }).slice(0, 160),
    },
  });
  const send = useMutation({
    ...sendSmsMutation(),
    meta: { showsErrors: true },
    onError: (error) => {
      const errors = Object.entries(fieldErrors(error));
      form.setErrors(
        Object.fromEntries(
          errors.map(([field, text]) => [field.startsWith('recipients') ? 'recipient' : field, text]),
        ),
      );
    },
  });
  const batch = send.data?.data.smsBatchId;
  const submit = form.onSubmit(({ recipient, sim, message }) =>
    send.mutate({
      body: {
        deviceId: device._id,
        recipients: [recipient],
        message,
        ...(sim !== null && { simSubscriptionId: Number(sim) }),
      },
    }),
  );
  return (
    <Modal opened onClose={onClose} title={t('phones.test.action')}>
      {batch === undefined ? (
        <form onSubmit={submit}>
          <Stack>
            {device.isVirtual && (
              <Text size="sm" c="dimmed">
                {t('phones.test.virtualHint')}
              </Text>
            )}
            <TextInput
              data-autofocus
              required
              type="tel"
              autoComplete="tel"
              label={t('phones.test.recipient')}
              description={t('phones.test.recipientHint')}
              {...form.getInputProps('recipient')}
            />
            {sims.length > 1 && (
              <Select
                label={t('phones.test.sim')}
                placeholder={t('phones.test.anySim')}
                clearable
                data={sims.map((sim) => ({
                  value: String(sim.subscriptionId),
                  label: simTitle(t, sim, device, sims),
                }))}
                {...form.getInputProps('sim')}
              />
            )}
            <Textarea
              required
              autosize
              minRows={2}
              maxRows={10}
              label={t('phones.test.text')}
              {...form.getInputProps('message')}
            />
            {send.error && Object.keys(form.errors).length === 0 && <ErrorAlert error={send.error} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                {t('common.cancel')}
              </Button>
              <Button type="submit" loading={send.isPending}>
                {t('phones.test.submit')}
              </Button>
            </Group>
          </Stack>
        </form>
      ) : (
        <Stack>
          <MessageProgress batch={batch} />
          <Group justify="flex-end">
            <Button variant="default" onClick={() => send.reset()}>
              {t('phones.test.again')}
            </Button>
            <Button onClick={onClose}>{t('common.close')}</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
