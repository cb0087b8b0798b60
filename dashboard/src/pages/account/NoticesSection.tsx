import { Alert, Button, Checkbox, Fieldset, Group, NumberInput, Stack, Switch, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { NoticesResponse } from '../../../generated';
import {
  getNoticesOptions,
  getNoticesQueryKey,
  setNoticesMutation,
} from '../../../generated/@tanstack/react-query.gen';
import { QueryState } from '../../components/QueryState';
import { Time } from '../../components/Time';
import { showSuccess } from '../../components/notify';
import {
  askNoticePermission,
  noticePermission,
  showBrowserNotice,
  useBrowserNotices,
} from '../../preferences/browser-notices';
import { formErrors } from './form-errors';
import { Section } from './Section';

const TOPICS = ['phoneOffline', 'phoneBack', 'simUnhealthy', 'webhookPaused', 'planNearlyUsed'] as const;
const MAX_MINUTES = 1_440;

export function NoticesSection() {
  const { t } = useTranslation();
  const notices = useQuery(getNoticesOptions());
  return (
    <Section id="notices" title={t('account.notices.title')} text={t('account.notices.explanation')}>
      <QueryState query={notices} lines={6}>
        {({ data }) => (
          <Stack gap="md">
            <BrowserSwitch />
            <SettingsForm stored={data} />
          </Stack>
        )}
      </QueryState>
    </Section>
  );
}

function SettingsForm({ stored }: { readonly stored: NoticesResponse }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { mailState, lastMail, ...settings } = stored;
  const form = useForm<typeof settings>({ initialValues: settings });
  const save = useMutation({
    ...setNoticesMutation(),
    meta: { showsErrors: true },
    onSuccess: async () => {
      form.resetDirty();
      showSuccess(t('account.notices.saved'));
      await queries.invalidateQueries({ queryKey: getNoticesQueryKey() });
    },
  });
  const errors = formErrors(t, save.error, ['offlineAfterMinutes']);
  return (
    <form onSubmit={form.onSubmit((body) => save.mutate({ body }))}>
      <Stack gap="md">
        {errors.form && <Alert color="red">{errors.form}</Alert>}
        <div>
          <Switch
            label={t('account.notices.mail')}
            description={t(`account.notices.mailState.${mailState}`)}
            {...form.getInputProps('mail', { type: 'checkbox' })}
          />
          {lastMail && (
            <Text size="sm" mt={6} c={lastMail.result === 'failed' ? 'red' : 'dimmed'} component="div">
              {t(`account.notices.lastMail.${lastMail.result}`)} <Time value={lastMail.at} />
            </Text>
          )}
        </div>
        <Fieldset legend={t('account.notices.what')}>
          <Stack gap="sm">
            {TOPICS.map((topic) => (
              <Checkbox
                key={topic}
                label={t(`account.notices.topics.${topic}`)}
                {...form.getInputProps(topic, { type: 'checkbox' })}
              />
            ))}
            <NumberInput
              label={t('account.notices.offlineAfter')}
              min={1}
              max={MAX_MINUTES}
              allowDecimal={false}
              clampBehavior="strict"
              required
              maw="20rem"
              disabled={!form.values.phoneOffline}
              {...form.getInputProps('offlineAfterMinutes')}
              error={errors.offlineAfterMinutes}
            />
          </Stack>
        </Fieldset>
        <Group>
          <Button type="submit" loading={save.isPending} disabled={!form.isDirty()}>
            {t('common.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Applies to this browser, at once. */
function BrowserSwitch() {
  const { t } = useTranslation();
  const [isOn, setOn] = useBrowserNotices();
  const [permission, setPermission] = useState(noticePermission);
  const turnOn = async () => {
    const asked = await askNoticePermission();
    const isShown =
      asked === 'granted' && showBrowserNotice(t('account.notices.browserSample'), { tag: 'sample' });
    setPermission(asked === 'granted' && !isShown ? 'unsupported' : asked);
    setOn(isShown);
  };
  const isRefused = permission === 'denied' || permission === 'unsupported';
  return (
    <div role="group" aria-live="polite">
      <Switch
        label={t('account.notices.browser')}
        description={
          isRefused ? t(`account.notices.browserState.${permission}`) : t('account.notices.browserHint')
        }
        checked={isOn && permission === 'granted'}
        disabled={isRefused}
        onChange={({ currentTarget }) => {
          if (currentTarget.checked) void turnOn();
          else setOn(false);
        }}
      />
    </div>
  );
}
