import {
  Alert,
  Button,
  Card,
  Checkbox,
  Group,
  Radio,
  Stack,
  Switch,
  TagsInput,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { ConsentSettingsResponse } from '../../../generated';
import {
  getConsentSettingsQueryKey,
  updateConsentSettingsMutation,
} from '../../../generated/@tanstack/react-query.gen';
import { errorText, showSuccess } from '../../components/notify';

/** The bounds of the API. */
const MAX_KEYWORDS = 20;
const MAX_KEYWORD_CHARACTERS = 30;
const MAX_TEXT_CHARACTERS = 80;

const SCOPES = ['undeclared', 'everything', 'topic'] as const;
const LANGUAGES = ['en', 'de', 'es', 'fr', 'pt'] as const;
const MEANINGS = ['out', 'in', 'help'] as const;

/** How texts such as STOP are understood and answered. */
export function SettingsForm({ stored }: { readonly stored: ConsentSettingsResponse }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { asked: _asked, senderName = '', contact = '', ...others } = stored;
  const form = useForm({ initialValues: { ...others, senderName, contact } });
  const save = useMutation({
    ...updateConsentSettingsMutation(),
    meta: { showsErrors: true },
    onSuccess: (saved) => {
      queries.setQueryData(getConsentSettingsQueryKey(), saved);
      showSuccess(t('optOuts.settings.saved'));
    },
  });
  const { values } = form;
  const answers = values.senderName.trim() !== '' && values.contact.trim() !== '';
  const submit = ({ senderName: name, contact: reach, ...changed }: typeof values) =>
    save.mutate({ body: { ...changed, senderName: name.trim() || null, contact: reach.trim() || null } });
  return (
    <Card component="section" aria-label={t('optOuts.settings.title')}>
      <Title order={2} mb="sm">
        {t('optOuts.settings.title')}
      </Title>
      <form onSubmit={form.onSubmit(submit)}>
        <Stack gap="lg">
          <Switch
            label={t('optOuts.settings.enabled')}
            description={t('optOuts.settings.enabledHint')}
            {...form.getInputProps('enabled', { type: 'checkbox' })}
          />
          <Radio.Group label={t('optOuts.settings.covers')} {...form.getInputProps('stopCovers')}>
            <Stack gap="xs" mt={6}>
              {SCOPES.map((value) => (
                <Radio
                  key={value}
                  value={value}
                  label={t(`optOuts.settings.scopes.${value}`)}
                  description={t(`optOuts.settings.scopeHints.${value}`)}
                />
              ))}
            </Stack>
          </Radio.Group>
          <Checkbox.Group
            label={t('optOuts.settings.languages')}
            description={t('optOuts.settings.languagesHint')}
            {...form.getInputProps('languages')}
          >
            <Group gap="md" mt={6}>
              {LANGUAGES.map((value) => (
                <Checkbox key={value} value={value} label={t(`optOuts.languages.${value}`)} />
              ))}
            </Group>
          </Checkbox.Group>
          {MEANINGS.map((meaning) => (
            <TagsInput
              key={meaning}
              label={t(`optOuts.settings.keywords.${meaning}`)}
              maxTags={MAX_KEYWORDS}
              // Longer ones are cut, as they are typed.
              maxLength={MAX_KEYWORD_CHARACTERS}
              splitChars={[',', ';']}
              {...form.getInputProps(`keywords.${meaning}`)}
            />
          ))}
          <TextInput
            label={t('optOuts.settings.senderName')}
            maxLength={MAX_TEXT_CHARACTERS}
            {...form.getInputProps('senderName')}
          />
          <TextInput
            label={t('optOuts.settings.contact')}
            description={t('optOuts.settings.contactHint')}
            maxLength={MAX_TEXT_CHARACTERS}
            {...form.getInputProps('contact')}
          />
          <Switch
            label={t('optOuts.settings.confirmation')}
            {...form.getInputProps('confirmation', { type: 'checkbox' })}
          />
          <Text size="sm" c="dimmed" role="status">
            {t(answers ? 'optOuts.settings.answers' : 'optOuts.settings.answersLater')}
          </Text>
          {save.error && (
            <Alert color="red" role="alert">
              <Text size="sm" className="outside-text">
                {errorText(save.error)}
              </Text>
            </Alert>
          )}
          <Group>
            <Button type="submit" loading={save.isPending} disabled={!form.isDirty()}>
              {t('common.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  );
}
