import {
  Alert,
  Button,
  Card,
  Checkbox,
  Fieldset,
  Group,
  Select,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { LoopTestResponse } from '../../../generated';
import {
  getLoopTestQueryKey,
  listSimsQueryKey,
  setLoopTestMutation,
} from '../../../generated/@tanstack/react-query.gen';
import { fieldErrors } from '../../api/field-errors';
import { errorText, showSuccess } from '../../components/notify';
import type { Sim } from '../../components/phones/phone';
import { Time } from '../../components/Time';
import { useTimeZone } from '../../preferences/time-zone';
import { nightHours } from './hours';

interface Choice {
  readonly sim: Sim;
  readonly title: string;
}

/** Which SIMs, their numbers, and whether the test runs each night. */
export function LoopTestForm({
  test,
  choices,
}: {
  readonly test: LoopTestResponse;
  readonly choices: readonly Choice[];
}) {
  const { t, i18n } = useTranslation();
  const [timeZone] = useTimeZone();
  const queries = useQueryClient();
  const numberOf = (id: string) => choices.find(({ sim }) => sim._id === id)?.sim.phoneNumber ?? '';
  const form = useForm({
    initialValues: {
      sims: [0, 1].map((index) => {
        const id = test.sims[index]?._id ?? choices[index]?.sim._id ?? '';
        return { id, phoneNumber: numberOf(id) };
      }),
      nightly: test.nightly,
      nightlyHour: String(test.nightlyHour),
    },
  });
  const save = useMutation({
    ...setLoopTestMutation(),
    meta: { showsErrors: true },
    onSuccess: async (answer) => {
      form.resetDirty();
      queries.setQueryData(getLoopTestQueryKey(), answer);
      showSuccess(t('loopTest.saved'));
      await queries.invalidateQueries({ queryKey: listSimsQueryKey() });
    },
  });
  const hours = useMemo(() => nightHours(i18n.language, timeZone), [i18n.language, timeZone]);
  const errors = fieldErrors(save.error);
  const hasFieldError = Object.keys(errors).length > 0;
  return (
    <Card component="section" aria-label={t('loopTest.settings')}>
      <Title order={2} mb={4}>
        {t('loopTest.settings')}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {t('loopTest.counted')}
      </Text>
      <form
        onSubmit={form.onSubmit(({ sims, nightly, nightlyHour }) =>
          save.mutate({
            body: {
              sims: sims.map(({ id, phoneNumber }) => ({ id, ...(phoneNumber && { phoneNumber }) })),
              nightly,
              nightlyHour: Number(nightlyHour),
            },
          }),
        )}
      >
        <Stack gap="md">
          {save.error && !hasFieldError && <Alert color="red">{errorText(save.error)}</Alert>}
          {form.values.sims.map((_, index) => (
            <Fieldset key={index} legend={t(index === 0 ? 'loopTest.first' : 'loopTest.second')}>
              <Stack gap="sm">
                <Select
                  label={t('loopTest.sim')}
                  data={choices.map(({ sim, title }) => ({
                    value: sim._id,
                    label: title,
                    disabled: form.values.sims[1 - index]?.id === sim._id,
                  }))}
                  allowDeselect={false}
                  required
                  {...form.getInputProps(`sims.${index}.id`)}
                  onChange={(id: string | null) => {
                    form.setFieldValue(`sims.${index}`, { id: id ?? '', phoneNumber: numberOf(id ?? '') });
                  }}
                  error={errors[`sims.${index}.id`] ?? (index === 0 && errors.sims)}
                />
                <TextInput
                  label={t('loopTest.number')}
                  description={t('loopTest.numberHint')}
                  type="tel"
                  autoComplete="off"
                  maxLength={64}
                  required
                  {...form.getInputProps(`sims.${index}.phoneNumber`)}
                  error={errors[`sims.${index}.phoneNumber`]}
                />
              </Stack>
            </Fieldset>
          ))}
          <Checkbox
            label={t('loopTest.nightly')}
            description={t('loopTest.nightlyHint')}
            {...form.getInputProps('nightly', { type: 'checkbox' })}
          />
          {form.values.nightly && (
            <Select
              label={t('loopTest.hour')}
              data={hours}
              allowDeselect={false}
              maw="12rem"
              {...form.getInputProps('nightlyHour')}
              error={errors.nightlyHour}
            />
          )}
          {test.nextRunAt && (
            <Text size="sm" c="dimmed" component="div">
              {t('loopTest.next')} <Time value={test.nextRunAt} />
            </Text>
          )}
          <Group>
            <Button
              type="submit"
              loading={save.isPending}
              disabled={test.sims.length === 2 && !form.isDirty()}
            >
              {t('common.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  );
}
