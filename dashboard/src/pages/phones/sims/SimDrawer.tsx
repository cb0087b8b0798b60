import {
  Button,
  Drawer,
  Group,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { updateSimMutation } from '../../../../generated/@tanstack/react-query.gen';
import { fieldErrors, showFieldErrors } from '../../../api/field-errors';
import { useReadAgain } from '../../../api/read-again';
import { showSuccess, showUndo } from '../../../components/notify';
import type { Sim } from '../../../components/phones/phone';
import { ErrorAlert } from '../../../components/QueryState';
import { TIME_ZONES } from '../../../preferences/time-zone';
import { type NumberLimit, toSimForm, toSimPatch } from './sim-form';

const MAX_LENGTH = 64;

/** The settings of a SIM. */
export default function SimDrawer(props: {
  readonly sim: Sim;
  readonly title: string;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const { sim, title, onClose } = props;
  const refresh = useReadAgain('device', 'sim', 'pool');
  const path = { id: sim._id };
  const before = toSimForm(sim);
  const form = useForm({ initialValues: before });
  const update = useMutation({
    ...updateSimMutation(),
    meta: { showsErrors: true },
    onSuccess: refresh,
    onError: (error) => showFieldErrors(form, fieldErrors(error)),
  });
  const undo = useMutation({ ...updateSimMutation(), onSuccess: refresh });
  const save = form.onSubmit((values) =>
    update.mutate(
      { path, body: toSimPatch(values) },
      {
        onSuccess: () => {
          onClose();
          showUndo(t('phones.sims.form.saved', { name: title }), () =>
            undo.mutate({ path, body: toSimPatch(before) }),
          );
        },
      },
    ),
  );
  const limit = (name: NumberLimit, hint?: string) => (
    <NumberInput
      label={t(`phones.sims.form.${name}`)}
      description={hint}
      allowDecimal={false}
      allowNegative={false}
      thousandSeparator=" "
      clampBehavior="none"
      min={1}
      {...form.getInputProps(`limits.${name}`)}
    />
  );
  const hasFieldErrors = Object.keys(form.errors).length > 0;
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="md"
      title={<span className="outside-text">{title}</span>}
    >
      <form onSubmit={save}>
        <Stack>
          <TextInput
            data-autofocus
            label={t('phones.sims.form.label')}
            maxLength={MAX_LENGTH}
            {...form.getInputProps('label')}
          />
          <TextInput
            type="tel"
            label={t('phones.sims.form.phoneNumber')}
            description={t('phones.sims.form.phoneNumberHint')}
            maxLength={MAX_LENGTH}
            {...form.getInputProps('phoneNumber')}
          />
          <Switch
            label={t('phones.sims.form.enabled')}
            description={t('phones.sims.form.enabledHint')}
            {...form.getInputProps('enabled', { type: 'checkbox' })}
          />
          <div>
            <Title order={3}>{t('phones.sims.form.limits')}</Title>
            <Text size="sm" c="dimmed">
              {t('phones.sims.form.limitsHint')}
            </Text>
          </div>
          <SimpleGrid cols={{ base: 1, xs: 2 }} style={{ alignItems: 'end' }}>
            {limit('messagesPerHour')}
            {limit('messagesPerDay')}
            {limit('messagesPerMonth')}
            {limit('monthStartsOn')}
          </SimpleGrid>
          {limit('recipientsPerMonth', t('phones.sims.form.recipientsPerMonthHint'))}
          {limit('partsPerMinute', t('phones.sims.form.partsPerMinuteHint'))}
          <Select
            label={t('phones.sims.form.timeZone')}
            description={t('phones.sims.form.timeZoneHint')}
            data={TIME_ZONES}
            searchable
            clearable
            limit={100}
            {...form.getInputProps('limits.timeZone')}
          />
          {update.error && !hasFieldErrors && <ErrorAlert error={update.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={update.isPending}>
              {t('common.save')}
            </Button>
          </Group>
          <HealthReset sim={sim} title={title} />
        </Stack>
      </form>
    </Drawer>
  );
}

function HealthReset({ sim, title }: { readonly sim: Sim; readonly title: string }) {
  const { t, i18n } = useTranslation();
  const refresh = useReadAgain('device', 'sim', 'pool');
  const reset = useMutation({
    ...updateSimMutation(),
    onSuccess: async () => {
      showSuccess(t('phones.sims.form.healthReset', { name: title }));
      await refresh();
    },
  });
  const share = new Intl.NumberFormat(i18n.language, { style: 'percent' }).format(sim.health.failureRate);
  const isHealthy = sim.health.state === 'closed';
  return (
    <Stack gap="xs" align="flex-start">
      <Title order={3}>{t('phones.sims.form.health')}</Title>
      <Text size="sm" c="dimmed">
        {t(`phones.sims.state.${sim.health.state}`)}. {t('phones.sims.form.failureRate', { share })}{' '}
        {!isHealthy && t('phones.sims.form.resetHint')}
      </Text>
      {!isHealthy && (
        <Button
          variant="default"
          size="xs"
          loading={reset.isPending}
          onClick={() => reset.mutate({ path: { id: sim._id }, body: { resetHealth: true } })}
        >
          {t('phones.sims.form.resetHealth')}
        </Button>
      )}
    </Stack>
  );
}
