import { Alert, Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { AccountResponse } from '../../../generated';
import { updateProfileMutation, whoAmIQueryKey } from '../../../generated/@tanstack/react-query.gen';
import { showSuccess } from '../../components/notify';
import { countriesIn } from './countries';
import { formErrors } from './form-errors';
import { Section } from './Section';

const MAX_NAME = 100;

export function ProfileSection({ account }: { readonly account: AccountResponse }) {
  const { t, i18n } = useTranslation();
  const queries = useQueryClient();
  const countries = useMemo(() => countriesIn(i18n.language), [i18n.language]);
  const form = useForm({
    initialValues: { name: account.name, defaultCountry: account.defaultCountry ?? null },
  });
  const save = useMutation({
    ...updateProfileMutation(),
    meta: { showsErrors: true },
    onSuccess: async () => {
      form.resetDirty();
      showSuccess(t('account.profile.saved'));
      await queries.invalidateQueries({ queryKey: whoAmIQueryKey() });
    },
  });
  const errors = formErrors(t, save.error, ['name', 'defaultCountry']);
  return (
    <Section title={t('account.profile.title')}>
      <form
        onSubmit={form.onSubmit(({ name, defaultCountry }) =>
          save.mutate({ body: { name, defaultCountry: defaultCountry ?? '' } }),
        )}
      >
        <Stack gap="sm">
          {errors.form && <Alert color="red">{errors.form}</Alert>}
          <TextInput
            label={t('account.profile.name')}
            required
            maxLength={MAX_NAME}
            autoComplete="name"
            {...form.getInputProps('name')}
            error={errors.name}
          />
          <Select
            label={t('account.profile.country')}
            description={t('account.profile.countryHint')}
            placeholder={t('account.profile.countryOfSim')}
            data={countries}
            searchable
            clearable
            limit={50}
            {...form.getInputProps('defaultCountry')}
            error={errors.defaultCountry}
          />
          <Group>
            <Button type="submit" loading={save.isPending} disabled={!form.isDirty()}>
              {t('common.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}
