import {
  ActionIcon,
  Button,
  Drawer,
  Group,
  MultiSelect,
  Radio,
  Stack,
  Switch,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { createPoolMutation, updatePoolMutation } from '../../../generated/@tanstack/react-query.gen';
import { fieldErrors, showFieldErrors } from '../../api/field-errors';
import { useReadAgain } from '../../api/read-again';
import { showSuccess, showUndo } from '../../components/notify';
import { ErrorAlert } from '../../components/QueryState';
import { type Pool, STRATEGIES, toFormErrors, toPoolBody, toPoolForm } from './pool';
import { useSenders } from './use-senders';

const MAX_NAME_LENGTH = 64;
const MAX_SIMS = 100;

/** Creates a pool, or changes one. */
export function PoolEditor({ pool, onClose }: { readonly pool?: Pool; readonly onClose: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const refresh = useReadAgain('device', 'sim', 'pool');
  const { senders, fullTitleOf } = useSenders();
  const before = toPoolForm(pool);
  const form = useForm({ initialValues: before });
  const onError = (error: unknown) =>
    showFieldErrors(form, toFormErrors(fieldErrors(error), form.getValues()));
  const options = { meta: { showsErrors: true }, onSuccess: refresh, onError };
  const create = useMutation({ ...createPoolMutation(), ...options });
  const update = useMutation({ ...updatePoolMutation(), ...options });
  const undo = useMutation({ ...updatePoolMutation(), onSuccess: refresh });
  const sims = senders.sims.map((sim) => ({ value: sim._id, label: fullTitleOf(sim) }));
  const { values } = form;
  const save = form.onSubmit((given) => {
    const body = toPoolBody(given);
    if (!pool) {
      create.mutate(
        { body },
        {
          onSuccess: ({ data }) => {
            showSuccess(t('pools.created', { name: data.name }));
            void navigate({ to: '/pools/$id', params: { id: data._id } });
          },
        },
      );
      return;
    }
    const path = { id: pool._id };
    update.mutate(
      { path, body },
      {
        onSuccess: () => {
          onClose();
          showUndo(t('pools.saved', { name: body.name }), () =>
            undo.mutate({ path, body: toPoolBody(before) }),
          );
        },
      },
    );
  });
  const error = create.error ?? update.error;
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="lg"
      title={pool ? t('pools.edit') : t('pools.create')}
    >
      <form onSubmit={save}>
        <Stack>
          <TextInput
            data-autofocus
            required
            label={t('pools.form.name')}
            maxLength={MAX_NAME_LENGTH}
            {...form.getInputProps('name')}
          />
          <MultiSelect
            withAsterisk
            searchable
            clearable
            hidePickedOptions
            maxValues={MAX_SIMS}
            data={sims}
            label={t('pools.form.members')}
            description={t('pools.form.membersHint')}
            nothingFoundMessage={t('pools.form.nothingFound')}
            {...(values.sims.length === 0 && { placeholder: t('pools.form.chooseMembers') })}
            {...form.getInputProps('sims')}
          />
          <Radio.Group label={t('pools.form.strategy')} {...form.getInputProps('strategy')}>
            <Stack gap="xs" mt={6}>
              {STRATEGIES.map((strategy) => (
                <Radio
                  key={strategy}
                  value={strategy}
                  label={t(`pools.strategy.${strategy}`)}
                  description={t(`pools.strategyText.${strategy}`)}
                />
              ))}
            </Stack>
          </Radio.Group>
          <Switch
            label={t('pools.form.isDefault')}
            description={t('pools.defaultHint')}
            {...form.getInputProps('isDefault', { type: 'checkbox' })}
          />
          <div>
            <Title order={3}>{t('pools.form.rules')}</Title>
            <Text size="sm" c="dimmed">
              {t('pools.rulesHint')}
            </Text>
          </div>
          {values.rules.map((rule, index) => (
            <Group key={index} gap="xs" align="flex-start">
              <TextInput
                w={110}
                label={t('pools.form.prefix')}
                placeholder="+49"
                maxLength={8}
                {...form.getInputProps(`rules.${index}.prefix`)}
              />
              <MultiSelect
                searchable
                hidePickedOptions
                style={{ flex: '1 1 200px' }}
                data={sims.filter(({ value }) => values.sims.includes(value) || rule.sims.includes(value))}
                label={t('pools.form.sims', { prefix: rule.prefix })}
                {...(rule.sims.length === 0 && { placeholder: t('pools.form.noSims') })}
                {...form.getInputProps(`rules.${index}.sims`)}
              />
              <ActionIcon
                variant="subtle"
                color="red"
                size="lg"
                mt={24}
                aria-label={t('pools.form.removeRule', { prefix: rule.prefix })}
                onClick={() => form.removeListItem('rules', index)}
              >
                <IconTrash size={18} />
              </ActionIcon>
            </Group>
          ))}
          <div>
            <Button
              variant="default"
              size="xs"
              leftSection={<IconPlus size={16} aria-hidden />}
              onClick={() => form.insertListItem('rules', { prefix: '', sims: values.sims })}
            >
              {t('pools.form.addRule')}
            </Button>
          </div>
          {error && Object.keys(form.errors).length === 0 && <ErrorAlert error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={create.isPending || update.isPending}>
              {t('common.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Drawer>
  );
}
